use super::*;
use redraft_facts::phase::Phase;

/// A terminal: what its rows hold after what was written to it.
struct Terminal {
    rows: Vec<String>,
    row: usize,
    column: usize,
    /// How many characters were written.
    written: usize,
}

impl Terminal {
    fn new() -> Terminal {
        Terminal { rows: vec![String::new()], row: 0, column: 0, written: 0 }
    }

    fn write(&mut self, text: &str) {
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\r' => self.column = 0,
                '\n' => {
                    self.row += 1;
                    if self.row == self.rows.len() {
                        self.rows.push(String::new());
                    }
                }
                '\x1b' => {
                    let rest: String = letters.by_ref().skip(1).take_while_inclusive();
                    self.obey(&rest);
                }
                letter => {
                    let row = &mut self.rows[self.row];
                    let mut all: Vec<char> = row.chars().collect();
                    all.resize(all.len().max(self.column + 1), ' ');
                    all[self.column] = letter;
                    *row = all.into_iter().collect();
                    self.column += 1;
                    self.written += 1;
                }
            }
        }
    }

    fn obey(&mut self, rest: &str) {
        let number: usize = rest.trim_end_matches(char::is_alphabetic).parse().unwrap_or(1);
        match rest.chars().last() {
            Some('A') => self.row -= number,
            Some('K') => self.rows[self.row] = self.rows[self.row].chars().take(self.column).collect(),
            Some('J') => {
                self.rows.truncate(self.row + 1);
                self.rows[self.row] = self.rows[self.row].chars().take(self.column).collect();
            }
            other => panic!("{other:?}"),
        }
    }
}

trait Sequence {
    fn take_while_inclusive(self) -> String;
}

impl<I: Iterator<Item = char>> Sequence for I {
    /// Up to the letter that ends a control sequence.
    fn take_while_inclusive(self) -> String {
        let mut text = String::new();
        for letter in self {
            text.push(letter);
            if letter.is_alphabetic() {
                break;
            }
        }
        text
    }
}

fn lines(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn what_is_painted_is_what_a_terminal_shows_and_only_changed_lines_are_written() {
    let (mut painter, mut terminal) = (Painter::default(), Terminal::new());
    for words in [
        &["one"][..],
        &["one", "two"],
        &["one", "2"],
        &["eins", "2"],
        &["a longer line", "2", "three"],
        &["x"],
        &[],
        &["again"],
    ] {
        terminal.write(&painter.paint(lines(words), 80));
        let shown: Vec<&str> = terminal.rows.iter().map(|row| row.trim_end()).collect();
        let expected = if words.is_empty() { &[""][..] } else { words };
        assert_eq!(shown, expected);
    }
    let before = terminal.written;
    assert_eq!(painter.paint(lines(&["again"]), 80), "");
    terminal.write(&painter.paint(lines(&["again", "and a second line"]), 80));
    let both = terminal.written;
    terminal.write(&painter.paint(lines(&["again", "and a second one"]), 80));
    assert_eq!(terminal.written - both, "and a second one".len(), "the first is left alone");
    assert!(both > before);
}

#[test]
fn what_is_typed_meanwhile_leaves_no_stale_line_behind() {
    let (mut painter, mut terminal) = (Painter::default(), Terminal::new());
    terminal.write("the story\r\n");
    for typed in ["", "approve", ""] {
        terminal.write(&painter.paint(lines(&["0:07 at work", "so far"]), 80));
        // The terminal shows it by itself.
        terminal.write(&format!("{typed}\r\n"));
        painter.typed(typed);
        terminal.write(&painter.paint(lines(&["0:08 at work", "so far"]), 80));
        assert_eq!(terminal.rows, ["the story", "0:08 at work", "so far"], "{typed}");
    }
    terminal.write("\r\n");
    painter.typed("");
    terminal.write(&painter.paint(lines(&["0:08 at work", "0:01 too", "so far"]), 80));
    assert_eq!(terminal.rows, ["the story", "0:08 at work", "0:01 too", "so far"]);
    terminal.write("\r\n");
    painter.typed("");
    terminal.write(&painter.clear(80));
    assert_eq!(terminal.rows, ["the story", ""]);
}

#[test]
fn a_terminal_that_became_narrower_is_cleared_of_every_row() {
    let mut painter = Painter::default();
    painter.paint(lines(&["0123456789", "abc"]), 20);
    // Four columns can be used where a terminal has five.
    assert_eq!(painter.clear(4), "\x1b[2A\r\x1b[J", "the first line takes two rows now");
    assert_eq!(painter.clear(4), "");
}

fn board(roles: &[&str]) -> Board {
    let mut board = Board { budget: Some(Usd(5_000_000)), ..Board::default() };
    for role in roles {
        let ticket = Ticket {
            scope: redraft_facts::ticket::Scope::Repo,
            phase: Phase::Specify,
            pass: 1,
            unit: redraft_facts::ticket::Unit::Whole,
            purpose: redraft_facts::ticket::Purpose::Review,
            role: redraft_facts::ids::Role::new(*role),
            round: 1,
            attempt: 1,
        };
        let who = format!("{role} reviews spec.md (claude)");
        let (began, reserved) = (Duration::from_secs(3), Usd(250_000));
        board.flights.push(Flight { ticket, who, began, reserved, doing: "Read docs/spec.md".to_owned() });
    }
    board
}

#[test]
fn each_dispatch_has_a_line_with_its_clock_and_what_it_last_did_and_the_sum_follows() {
    let board = board(&["spec-reviewer", "phase-reviewer"]);
    let now = Duration::from_secs(3 + 125);
    assert_eq!(
        board.lines(now, 100, 20),
        [
            "… 2:05 spec-reviewer reviews spec.md (claude): Read docs/spec.md",
            "… 2:05 phase-reviewer reviews spec.md (claude): Read docs/spec.md",
            "… 0 tokens in this run, $0.0000 + $0.5000 reserved of $5.0000",
        ]
    );
    assert_eq!(clock(Duration::from_secs(3723)), "1:02:03");
    // What a lost dispatch may have cost is not called spent.
    let money = Money { spent: Usd(120_000), unknown: Usd(250_000), unknown_bills: 1, ..Money::default() };
    let money = BTreeMap::from([(feature(1), money)]);
    let so_far = Board { money, ..board }.so_far();
    assert_eq!(
        so_far,
        "… 0 tokens in this run, $0.1200 + at most $0.2500 unknown + $0.5000 reserved of $5.0000"
    );
}

fn feature(number: u32) -> Scope {
    Scope::Feature(FeatureId(number))
}

#[test]
fn several_features_are_told_apart_summed_up_and_end_one_by_one() {
    let mut board = board(&["spec-reviewer", "phase-reviewer"]);
    let own = board.flights[0].ticket.scope.clone();
    board.flights[1].ticket.scope = feature(99);
    let spent = |cents: u64| Money { spent: Usd(cents * 10_000), ..Money::default() };
    board.money = BTreeMap::from([(own.clone(), spent(12)), (feature(99), spent(30))]);
    board.budget = None;
    let lines = board.lines(Duration::from_secs(3), 100, 20);
    assert!(lines[0].starts_with(&format!("… {own} 0:00 spec-reviewer")), "{lines:?}");
    assert!(lines[1].starts_with("… 099 0:00 phase-reviewer"), "{lines:?}");
    assert_eq!(lines[2], "… 0 tokens in this run, $0.4200 + $0.5000 reserved");
    board.land(Some(FeatureId(99)));
    assert_eq!(board.flights.len(), 1);
    assert_eq!(board.flights[0].ticket.scope, own);
    board.land(None);
    assert!(board.is_empty());
}

#[test]
fn the_lines_fit_every_terminal() {
    let board = board(&["spec-reviewer", "phase-reviewer", "design-reviewer", "security-reviewer"]);
    for columns in 0..120 {
        for rows in 0..8 {
            let lines = board.lines(Duration::from_secs(90), columns, rows);
            assert!(lines.len() <= rows && lines.iter().all(|line| width(line) <= columns), "{lines:?}");
            assert!(rows == 0 || columns < 16 || !lines.is_empty());
        }
    }
    let few = board.lines(Duration::from_secs(90), 60, 2);
    assert_eq!(few[1], "… and 3 more at work");
    assert!(Board::default().lines(Duration::ZERO, 80, 24).is_empty());
}

#[test]
fn the_sum_counts_the_tasks_of_all_features_that_carry_some_out() {
    let tasks = |at_work| TaskTally { done: 2, blocked: 0, total: 8, at_work, queued: 1 };
    let tasks =
        BTreeMap::from([(Scope::Feature(FeatureId(1)), tasks(3)), (Scope::Feature(FeatureId(2)), tasks(1))]);
    let so_far = Board { tasks, ..board(&["implementer"]) }.so_far();
    assert!(so_far.ends_with(" of $5.0000; 4 of 16 tasks done, 4 at work, 2 in the queue"), "{so_far}");
}
