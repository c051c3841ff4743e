//! What is on the screen, at every size and for every history. The snapshots were read by a person.

mod keys;
mod playing;
mod standings;

use super::app::{App, Pane};
use super::draw::draw;
use super::ink::Ink;
use super::snapshot::{Asked, Detail, Diff, FINDINGS_MAX, LOG_MAX, Snapshot, in_order, shortened};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier};
use redraft_adapters::lock::Holder;
use redraft_facts::event::{Entry, Event, FeatureCreated};
use redraft_facts::findings::Status;
use redraft_facts::ids::{AgentName, FeatureId, FeatureUuid, Role};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::ticket::{Purpose, Scope};
use redraft_facts::verdict::Severity;
use redraft_reports::projections::BoardRow;
use redraft_reports::question::{AnswerChoice, QuestionForm};
use redraft_reports::standing::{Standing, Subject, Surroundings};
use redraft_reports::view::{DispatchView, FindingView, Happening, Overview, TaskView};

const NOW_MS: i64 = 1_790_000_100_000;

/// Rewrites what stands before it on a terminal, hides, reorders, and forges a line.
const HOSTILE: &str = "\x1b[2J\x1b]0;owned\x07\u{202e}txt\u{9b}31m\rforged\nerror: forged";

fn begun(number: u32, slug: &str) -> Overview {
    let created = FeatureCreated {
        id: FeatureId(number),
        uuid: FeatureUuid::new("6a658c6d-be4d-4cd1-a5cc-dd57b152e7c6"),
        slug: slug.into(),
        idea: "Show the weather".into(),
        lane: Lane::Standard,
        base_branch: "main".into(),
        base_commit: "c".into(),
        branch: format!("feature/{number:03}-{slug}"),
        prd: None,
        in_place: false,
        until: Phase::Finish,
        lane_reason: String::new(),
        project: None,
        depends_on: vec![],
        document: None,
        brainstorm_source: None,
        change: None,
        ask_after: vec![],
    };
    let entries = [Entry { seq: 1, at_ms: 1_790_000_000_000, event: Event::from(created) }];
    Overview::new(&entries, &Surroundings::default()).unwrap()
}

fn standing(row: BoardRow, standing: Standing) -> BoardRow {
    BoardRow { waits_for_you: standing.waits_for_you(), standing, ..row }
}

fn question() -> Asked {
    let choice = |word: &str, consequence: &str, default| AnswerChoice {
        word: word.into(),
        consequence: consequence.into(),
        default,
    };
    let form = QuestionForm {
        what: "The review rounds are used up. What should happen next?".into(),
        why: vec!["5 rounds were used".into(), "S1 blocker, spec-reviewer: two numbers for one thing".into()],
        choices: vec![
            choice("accept", "take it as it is; what is open is settled by your word", false),
            choice("retry", "one more round: it is reviewed once more", false),
            choice("stop", "decide later; nothing is sent until then", true),
        ],
    };
    Asked { form, questions: Vec::new(), number: (1, 1), asked_at: Some(7), revision: None }
}

fn finding(at: usize, text: &str) -> FindingView {
    FindingView {
        phase: Phase::Specify,
        id: format!("S{at}"),
        role: "spec-reviewer".into(),
        by: "claude, sonnet".into(),
        round: 1,
        is_comment: false,
        severity: Severity::Blocker,
        category: "consistency".into(),
        status: if at % 2 == 1 { Status::Open } else { Status::Fixed },
        description: text.into(),
        suggestion: "say it once".into(),
        file: "spec.md".into(),
        line: 4,
        place: "spec.md:4 (Limits)".into(),
        quote: String::new(),
        late: false,
        unverified: None,
        outcome: String::new(),
        said: vec![("spec-author".into(), "it is now said once".into())],
    }
}

/// What a person said about a later phase, before it has a role that could say whether it is met.
fn comment() -> FindingView {
    let (id, by) = ("U2".into(), "Ann".into());
    let outcome = "waits for design to begin".into();
    FindingView {
        phase: Phase::Design,
        role: String::new(),
        round: 0,
        is_comment: true,
        status: Status::Open,
        suggestion: String::new(),
        file: String::new(),
        place: "no place given".into(),
        said: Vec::new(),
        ..FindingView { id, by, outcome, ..finding(2, "use Postgres, not files") }
    }
}

/// A feature with something of everything.
fn busy(text: &str) -> Detail {
    let mut overview = begun(31, "show-the-weather");
    overview.row = standing(overview.row, Standing::Working { dispatches: 2 });
    (overview.row.round, overview.row.rounds_max, overview.row.open_findings) = (2, 5, 1);
    overview.standing_in_words = overview.row.standing_in_words();
    overview.row.idea = text.into();
    for (role, doing, since_ms) in [("spec-reviewer", text, 7_000), ("phase-reviewer", "", 65_000)] {
        overview.under_way.push(DispatchView {
            ticket: format!("031/specify.1/review/{role}/2.1").parse().unwrap(),
            role: Role::new(role),
            purpose: Purpose::Review,
            task: None,
            agent: AgentName::new("claude"),
            model: "sonnet".into(),
            by: "claude, sonnet".into(),
            since_ms: NOW_MS - since_ms,
            is_with_host: false,
            expires_ms: 0,
            is_answered: false,
            is_cut_off: false,
            doing: doing.into(),
        });
    }
    let task = |id: &str, title: &str, state: &'static str| TaskView {
        id: id.into(),
        title: title.into(),
        state,
        why: String::new(),
        commits: Vec::new(),
        files: Vec::new(),
        checks: Vec::new(),
    };
    overview.tasks_in_detail = vec![
        task("1.1", "Try out the risk", "done"),
        task("1.2", text, "working"),
        task("1.3", "Rest", "open"),
    ];
    overview.findings = vec![finding(1, text), finding(2, "no criterion mentions R5"), comment()];
    let happening = |at: u64, text: &str| Happening {
        seq: at,
        at_ms: 1_790_000_000_000 + at as i64 * 1_000,
        kind: "drafted",
        phase: Some(Phase::Specify),
        text: text.into(),
        is_detail: at.is_multiple_of(3),
    };
    overview.timeline.extend((2..9).map(|at| happening(at, text)));
    Detail {
        scope: Scope::Feature(FeatureId(31)),
        overview,
        older: 0,
        more_findings: 0,
        question: None,
        driven_by: Some(Holder {
            pid: 7,
            user: "ann".into(),
            since_ms: 0,
            command: "redraft run 031".into(),
            asks: false,
        }),
        diff: Some(Diff {
            title: "the last revision, by 031/specify.1/revise/spec-author/1.1".into(),
            text: format!(
                "--- a/spec.md\n+++ b/spec.md\n@@ -1 +1 @@\n-45 seconds\n+30 seconds {}\n",
                text.replace('\n', "\n+")
            ),
        }),
    }
}

fn asked() -> Detail {
    let mut detail = busy("Read spec.md");
    detail.overview.under_way.clear();
    let (about, phase) = (Subject::Cap, Phase::Specify);
    detail.overview.row = standing(detail.overview.row, Standing::Asked { about, phase, pass: 1, number: 1 });
    detail.overview.standing_in_words = detail.overview.row.standing_in_words();
    (detail.driven_by, detail.question) = (None, Some(question()));
    detail
}

fn app(details: Vec<Detail>, opened: bool) -> App {
    let ink = Ink { colours: true };
    let scope = details.first().filter(|_| opened).map(|detail| detail.scope.clone());
    let mut app = App::new(ink, "shop".into(), scope);
    let rows = details.iter().map(|detail| detail.overview.row.clone()).collect();
    app.show(Snapshot {
        at_ms: NOW_MS,
        rows: in_order(rows),
        detail: details.into_iter().next().filter(|_| opened),
        trouble: None,
        next: "redraft run 031".into(),
    });
    app
}

fn many() -> Vec<Detail> {
    let named = |number: u32, slug: &str, how: Standing| {
        let mut detail = busy("x");
        detail.overview = begun(number, slug);
        detail.overview.row = standing(detail.overview.row, how);
        detail.scope = Scope::Feature(FeatureId(number));
        detail
    };
    let (about, phase) = (Subject::Author, Phase::Specify);
    vec![
        named(1, "reset-a-forgotten-password-by-email", Standing::Working { dispatches: 1 }),
        named(2, "export-orders", Standing::Merged),
        named(3, "show-the-weather", Standing::Asked { about, phase, pass: 1, number: 1 }),
        named(4, "sort-the-list", Standing::Ready),
        named(5, "pay-later", Standing::Findings { gate: None }),
    ]
}

/// The screen as text.
fn screen(app: &mut App, columns: u16, rows: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(frame, app, NOW_MS)).unwrap();
    shown(&terminal)
}

fn shown(terminal: &Terminal<TestBackend>) -> String {
    let buffer = terminal.backend().buffer();
    let rows = (0..buffer.area.height).map(|y| {
        let line: String = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect();
        line.trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_screen_at_three_widths() {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    let _bound = settings.bind_to_scope();
    for (columns, rows) in [(60, 24), (80, 24), (200, 40)] {
        insta::assert_snapshot!(format!("list-{columns}"), screen(&mut app(many(), false), columns, rows));
        let asked = screen(&mut app(vec![asked()], true), columns, rows);
        insta::assert_snapshot!(format!("asked-{columns}"), asked);
        for pane in Pane::ALL {
            let mut app = app(vec![busy("Read src/weather/forecast.rs")], true);
            app.pane = pane;
            insta::assert_snapshot!(format!("{}-{columns}", pane.name()), screen(&mut app, columns, rows));
        }
    }
}

#[test]
fn what_waits_for_a_person_stands_first_and_is_counted() {
    let text = screen(&mut app(many(), false), 80, 24);
    let at = |name: &str| text.find(name).unwrap_or_else(|| panic!("{name}: {text}"));
    assert!(text.contains("2 wait for you"), "{text}");
    assert!(at("003 show") < at("005 pay") && at("005 pay") < at("001 reset"), "{text}");
    assert!(at("004 sort") < at("002 export"), "{text}");
    let mut none = app(vec![busy("x")], false);
    assert!(screen(&mut none, 80, 24).contains("nothing waits for you"));
}

#[test]
fn any_size_can_be_drawn_and_a_terminal_may_change_while_it_is_drawn_on() {
    for opened in [false, true] {
        let mut app = app(vec![asked()], opened);
        app.key(ratatui::crossterm::event::KeyCode::Char('d').into(), NOW_MS);
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        let sizes = [(80, 24), (60, 10), (200, 60), (20, 6), (1, 1), (19, 80), (300, 5), (80, 24)];
        for (columns, rows) in sizes.into_iter().chain((1..90).map(|n| (n, 90 - n))) {
            terminal.backend_mut().resize(columns, rows);
            for pane in Pane::ALL {
                app.pane = pane;
                terminal.draw(|frame| draw(frame, &mut app, NOW_MS)).unwrap();
            }
            app.scroll_to(usize::MAX);
        }
        app.pane = Pane::Overview;
    }
}

#[test]
fn text_from_outside_is_text_in_every_pane_and_dialog() {
    let mut hostile = busy(HOSTILE);
    hostile.overview.row.slug = HOSTILE.into();
    hostile.overview.row.next = HOSTILE.into();
    hostile.driven_by =
        Some(Holder { pid: 7, user: HOSTILE.into(), since_ms: 0, command: HOSTILE.into(), asks: false });
    let mut question = question();
    question.form.why = vec![HOSTILE.into()];
    question.form.choices[0].consequence = HOSTILE.into();
    hostile.question = Some(question);
    for opened in [false, true] {
        for pane in Pane::ALL {
            let mut app = app(vec![hostile.clone()], opened);
            app.repository = HOSTILE.into();
            app.snapshot.trouble = Some(HOSTILE.into());
            app.pane = pane;
            for key in [' ', 'd', '?'] {
                app.key(ratatui::crossterm::event::KeyCode::Char(key).into(), NOW_MS);
                let text = screen(&mut app, 100, 60);
                let harmful = |sign: char| sign != '\n' && redraft_facts::harmless::is_harmful(sign);
                assert!(!text.contains(harmful), "{pane:?}: {text:?}");
                // What is left of a line break is no line of its own.
                let forged = |line: &str| line.starts_with("error: forged");
                assert!(!text.lines().any(forged), "{text}");
            }
            app.said(false, HOSTILE);
            assert!(!screen(&mut app, 100, 60).contains('\x1b'));
        }
    }
}

#[test]
fn without_colours_nothing_is_coloured_and_nothing_is_lost() {
    let drawn = |colours: bool| {
        let mut app = app(vec![asked()], true);
        app.ink = Ink { colours };
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        terminal.draw(|frame| draw(frame, &mut app, NOW_MS)).unwrap();
        terminal
    };
    let (with, without) = (drawn(true), drawn(false));
    assert_eq!(shown(&with), shown(&without));
    let cells = |terminal: &Terminal<TestBackend>| terminal.backend().buffer().content.clone();
    assert!(cells(&with).iter().any(|cell| cell.fg == Color::Yellow));
    assert!(cells(&without).iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    assert!(cells(&without).iter().any(|cell| cell.modifier.contains(Modifier::REVERSED)), "the pane");
}

#[test]
fn an_empty_repository_and_a_ledger_that_cannot_be_read_are_told() {
    let mut early = App::new(Ink { colours: false }, "shop".into(), None);
    let text = screen(&mut early, 80, 24);
    assert!(text.contains("reading the ledger") && !text.contains("waits for you"), "{text}");
    let mut empty = app(Vec::new(), false);
    let text = screen(&mut empty, 80, 24);
    assert!(
        text.contains("There is no feature here yet.") && text.contains("next: redraft run 031"),
        "{text}"
    );
    let mut app = app(vec![asked()], true);
    app.key(ratatui::crossterm::event::KeyCode::Char('d').into(), NOW_MS);
    let trouble = Some("the ledger is damaged".to_owned());
    app.show(Snapshot { trouble, ..Snapshot::default() });
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("this may be out of date: the ledger is damaged"), "{text}");
    assert!(text.contains("031 show-the-weather"), "what was there stays: {text}");
    assert!(app.dialog.is_none(), "nobody decides about what cannot be read");
}

#[test]
fn a_huge_feature_is_cut_and_says_so() {
    let mut detail = busy("x");
    let one = detail.overview.timeline.last().unwrap().clone();
    detail.overview.timeline = vec![one; 100_000];
    detail.overview.findings = (0..10_000).map(|at| finding(at, "x")).collect();
    (detail.older, detail.more_findings) = shortened(&mut detail.overview);
    assert_eq!((detail.overview.timeline.len(), detail.overview.findings.len()), (LOG_MAX, FINDINGS_MAX));
    let mut app = app(vec![detail], true);
    app.pane = Pane::Log;
    app.is_detailed = true;
    screen(&mut app, 80, 24);
    app.scroll_to(0);
    assert!(screen(&mut app, 80, 24).contains("98,000 older events: redraft log 031"));
    app.pane = Pane::Findings;
    screen(&mut app, 80, 24);
    app.scroll_to(usize::MAX);
    assert!(screen(&mut app, 80, 24).contains("and 9500 older ones: redraft show findings 031"));
}
