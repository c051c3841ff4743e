//! Reads what a page of a feature shows.

use super::RepositorySite;
use crate::report::gather::{gather_from, overview_from};
use crate::ui::pages::documents::{self, Listed, Opened};
use crate::ui::pages::forms::{self, Sight, Spot};
use crate::ui::pages::revisions::{self, Compared, chosen};
use crate::ui::pages::{feature, prompts, time};
use crate::ui::site::{Answer, Made, Part, Posted, Wanted};
use maud::{Markup, html};
use redraft_adapters::git::GitWorkspace;
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::{Store as _, Workspace as _};
use redraft_facts::event::Entry;
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::{BlobId, Revision};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::pages::{PageLimits, parts};
use redraft_reports::view::{AskedView, Overview, PhaseState, RevisionView, sent};

/// A feature as it is at this moment.
pub(super) struct Looked {
    pub(super) scope: Scope,
    pub(super) overview: Overview,
    pub(super) asked: Option<AskedView>,
    repo: RepositoryContext,
    ledger: Ledger,
    entries: Vec<Entry>,
}

impl Looked {
    /// None where there is no such feature.
    pub(super) fn new(scope: &Scope, process: &ProcessContext) -> Result<Option<Looked>, CliError> {
        let repo = process.repository()?;
        let Some(ledger) = repo.reader()? else { return Ok(None) };
        let entries = ledger.read(scope.clone())?;
        if entries.is_empty() {
            return Ok(None);
        }
        let overview = overview_from(&entries, &repo, &ledger, scope, process)?;
        let asked =
            AskedView::new(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
        Ok(Some(Looked { scope: scope.clone(), overview, asked, repo, ledger, entries }))
    }

    /// What a form on this page is about.
    pub(super) fn sight(&self) -> Sight {
        let asked = self.asked.as_ref().and_then(|asked| asked.seq);
        Sight {
            asked: asked.map(|seq| seq.to_string()).unwrap_or_default(),
            moved: self.overview.moved_at.to_string(),
        }
    }

    /// What the open phase is at.
    pub(super) fn revision(&self) -> Option<&Revision> {
        let phases = &self.overview.phases_in_detail;
        phases.iter().find(|phase| phase.state == PhaseState::Open)?.revision.as_ref()
    }

    fn revisions(&self, phase: Option<Phase>) -> Vec<RevisionView> {
        let mut all = redraft_reports::view::revisions(&self.entries);
        all.retain(|one| Some(one.phase) == phase);
        all
    }

    fn workspace(&self) -> Result<GitWorkspace, String> {
        let checkout = self.repo.repository.main_checkout();
        let branch = &self.overview.row.branch;
        GitWorkspace::open(&self.repo.repository, checkout, branch).map_err(|error| error.to_string())
    }

    fn blob(&self, id: &BlobId) -> Result<Vec<u8>, String> {
        self.ledger.blob(id).map_err(|error| error.to_string())
    }
}

/// The question and the form for comments, around the parts of a page. `typed` is what was typed before.
pub(super) fn overview_parts(
    looked: &Looked,
    said: Option<Markup>,
    made: &Made,
    typed: Option<&Posted>,
) -> Vec<(String, Markup)> {
    let sight = looked.sight();
    let is_feature = matches!(looked.scope, Scope::Feature(_));
    let mut all: Vec<(String, Markup)> = said.into_iter().map(|said| ("said".to_owned(), said)).collect();
    if let Some(asked) = looked.asked.as_ref().filter(|_| is_feature) {
        let form = forms::question(&looked.scope, asked, &sight, made, typed);
        all.push(("question".to_owned(), form));
    }
    all.extend(feature::parts(&looked.overview));
    if is_feature {
        let form = forms::comment(&looked.scope, &Spot::default(), &sight, made, typed);
        all.push(("comment".to_owned(), form));
    }
    all
}

pub(super) fn page(
    here: &RepositorySite<'_>,
    looked: &Looked,
    part: Part,
    which: Option<&str>,
    wanted: &Wanted,
) -> Result<Answer, CliError> {
    let number = |name: &str| wanted.query.get(name).and_then(|word| word.parse::<u64>().ok());
    let overview = &looked.overview;
    let limits = PageLimits::GENEROUS;
    let whole = |id: &str, heading: &str, part: Option<Markup>| {
        let part = html! {
            h2 { (heading) }
            @match part { Some(part) => (part), None => p { "There is nothing yet." } }
        };
        vec![(id.to_owned(), part)]
    };
    let parts = match part {
        Part::Overview => {
            let said = here.remembered(number("said")).map(|said| forms::outcome(&said));
            overview_parts(looked, said, &wanted.made, None)
        }
        Part::Documents => match document_parts(here, looked, which, wanted)? {
            Some(parts) => parts,
            None => return Ok(here.missing("There is no such document.", &wanted.made)),
        },
        Part::Changes => match change_parts(here, looked, which, (number("from"), number("to"))) {
            Some(parts) => parts,
            None => return Ok(here.missing("There is no such phase.", &wanted.made)),
        },
        Part::Findings => whole("findings", "Findings", parts::findings(overview, &limits)),
        Part::Tasks => {
            let mut all = whole("tasks", "Tasks", parts::tasks(overview, &limits));
            all.extend(whole("checks", "Checks", parts::checks(overview, &limits)));
            all
        }
        Part::Trace => {
            let gathered =
                gather_from(&looked.entries, &looked.repo, &looked.ledger, &looked.scope, here.process)?;
            let trace = gathered.trace.as_ref().and_then(|matrix| parts::trace(matrix, &limits));
            whole("trace", "Trace", trace)
        }
        Part::Prompts => match (prompt_parts(looked, which), which) {
            (Some(parts), _) => parts,
            (None, Some(_)) => return Ok(here.missing("There is no such dispatch.", &wanted.made)),
            (None, None) => prompts::list(&looked.scope, &sent(&looked.entries), number("before")),
        },
        Part::Costs => whole("costs", "Costs", parts::costs(overview, &limits)),
        Part::Time => time::parts(overview, number("before"), wanted.query.contains_key("all")),
    };
    Ok(here.of_feature(looked, part, 200, parts, &wanted.made, false))
}

/// None where no such document is there.
fn document_parts(
    here: &RepositorySite<'_>,
    looked: &Looked,
    which: Option<&str>,
    wanted: &Wanted,
) -> Result<Option<Vec<(String, Markup)>>, CliError> {
    let gathered = gather_from(&looked.entries, &looked.repo, &looked.ledger, &looked.scope, here.process)?;
    let phases = &looked.overview.phases_in_detail;
    let phase_of = |path: &str| phases.iter().rev().find(|phase| phase.artifact == path).map(|one| one.phase);
    let key = |path: &str| match phase_of(path) {
        Some(phase) => phase.name().to_owned(),
        None => path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md").to_owned(),
    };
    let listed: Vec<Listed> = (gathered.documents.iter())
        .map(|document| Listed { key: key(&document.path), path: document.path.clone() })
        .collect();
    // The last one is the one that is being worked on.
    let at = match which {
        Some(which) => listed.iter().position(|one| one.key == which),
        None => listed.len().checked_sub(1),
    };
    let (Some(one), Some(document)) =
        (at.and_then(|at| listed.get(at)), at.and_then(|at| gathered.documents.get(at)))
    else {
        let is_empty = which.is_none();
        return Ok(is_empty.then(|| documents::parts(&looked.scope, &listed, None)));
    };
    let revisions = looked.revisions(phase_of(&document.path));
    let asked = wanted.query.get("at").and_then(|word| word.parse::<u64>().ok());
    let older = asked.and_then(|seq| revisions.iter().find(|one| one.seq == seq));
    let text = older.and_then(|older| {
        let bytes = looked.workspace().ok()?.read_at(&older.revision, &document.path).ok().flatten()?;
        Some(here.process.redactor.redact(&String::from_utf8(bytes).ok()?).0.into_owned())
    });
    let phase = phase_of(&document.path);
    let about = |finding: &&redraft_reports::view::FindingView| {
        Some(finding.phase) == phase && (finding.file.is_empty() || document.path.ends_with(&finding.file))
    };
    let opened = Opened {
        key: &one.key,
        path: &document.path,
        text: text.as_deref().unwrap_or(&document.text),
        findings: looked.overview.findings.iter().filter(about).collect(),
        revisions: revisions.iter().collect(),
        at: older.filter(|_| text.is_some()).or(revisions.last()),
    };
    let mut all = documents::parts(&looked.scope, &listed, Some(&opened));
    if opened.is_latest() && matches!(looked.scope, Scope::Feature(_)) {
        let line = wanted.query.get("line").filter(|word| word.parse::<u32>().is_ok()).cloned();
        let spot = Spot { file: document.path.clone(), line: line.unwrap_or_default() };
        let form = forms::comment(&looked.scope, &spot, &looked.sight(), &wanted.made, None);
        all.push(("comment".to_owned(), form));
    }
    Ok(Some(all))
}

/// None where that phase has written nothing.
fn change_parts(
    here: &RepositorySite<'_>,
    looked: &Looked,
    which: Option<&str>,
    (from, to): (Option<u64>, Option<u64>),
) -> Option<Vec<(String, Markup)>> {
    let all = redraft_reports::view::revisions(&looked.entries);
    let mut phases: Vec<Phase> = all.iter().map(|one| one.phase).collect();
    phases.sort();
    phases.dedup();
    let phase = match which {
        Some(which) => Some(phases.iter().copied().find(|phase| phase.name() == which)?),
        None => all.last().map(|last| last.phase),
    };
    let own: Vec<&RevisionView> = all.iter().filter(|one| Some(one.phase) == phase).collect();
    let compared = chosen(&own, from, to).map(|(from, to)| {
        let diff = looked.workspace().and_then(|workspace| {
            workspace.delta(&from.revision, &to.revision).map_err(|error| error.to_string())
        });
        let diff = diff.map(|diff| here.process.redactor.redact(&diff).0.into_owned());
        Compared { from, to, diff }
    });
    Some(revisions::parts(&looked.scope, &phases, phase, &own, compared.as_ref()))
}

/// One dispatch, by the event that says it was sent.
fn prompt_parts(looked: &Looked, which: Option<&str>) -> Option<Vec<(String, Markup)>> {
    let seq: u64 = which?.parse().ok()?;
    let all = sent(&looked.entries);
    let one = all.iter().find(|one| one.seq == seq)?;
    let prompt = looked.blob(&one.prompt).and_then(|bytes| {
        serde_json::from_slice::<Prompt>(&bytes)
            .map_err(|error| format!("the stored prompt is damaged: {error}"))
    });
    let answer = one
        .answer
        .as_ref()
        .map(|answer| looked.blob(answer).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
    Some(prompts::one(&looked.scope, one, prompt, answer))
}
