//! Writes the first design: one component for each kind of work the requirements ask for, and a call for each.
//!
//! Being in a hurry, the author forgets the last requirement: it is named nowhere.

use super::spec::small;
use super::{Feature, Kit, act, slug};
use crate::amounts::amounts;
use crate::parsed_document::{Need, full_stop, has_any};

/// A kind of work, by the words that ask for it.
struct Work {
    title: &'static str,
    file: &'static str,
    call: &'static str,
    fields: &'static [&'static str],
    gives: &'static str,
    duty: &'static str,
    fails: &'static str,
    words: &'static [&'static str],
}

/// The kinds that need the most care come first.
const WORKS: [Work; 6] = [
    Work {
        title: "Turns",
        file: "turns",
        call: "hold",
        fields: &["thing: Name", "person: Person"],
        gives: "Turn",
        duty: "lets one piece of work on a thing go on at a time, and says to the others that it is taken",
        fails: "a turn that is not given back ends with the process that held it",
        words: &["same time", "at once", "two people", "concurrent", "twice", "parallel"],
    },
    Work {
        title: "Input check",
        file: "input",
        call: "check",
        fields: &["request: Request", "person: Person"],
        gives: "Accepted",
        duty: "looks at a request before anything is done with it",
        fails: "what is wrong is named in the refusal, and nothing has been changed by then",
        words: &["refuse", "reject", "malformed", "incomplete", "invalid", "missing", "wrong", "not allowed"],
    },
    Work {
        title: "Time limit",
        file: "limit",
        call: "within",
        fields: &["limit: Duration", "work: Work"],
        gives: "Ended",
        duty: "watches how long work takes and ends it in time",
        fails: "work that does not end when asked to is cut off, and its result is thrown away",
        words: &["longer than", "hang", "timeout", "time out", "expire", "is stopped", "stop it"],
    },
    Work {
        title: "Delivery",
        file: "delivery",
        call: "send",
        fields: &["person: Person", "message: Message"],
        gives: "Sent",
        duty: "hands messages to the outside and knows whether they left",
        fails: "a message that cannot be sent is tried again once, then the failure is recorded",
        words: &["send", "mail", "notify", "message", "deliver", "alert", "remind"],
    },
    Work {
        title: "Record",
        file: "record",
        call: "record",
        fields: &["person: Person", "result: Outcome"],
        gives: "Recorded",
        duty: "keeps what was done, by whom and with which result",
        fails: "where nothing can be written, the work that was to be recorded is refused",
        words: &["record", "log", "audit", "history", "trace", "remember", "keep", "store"],
    },
    Work {
        title: "View",
        file: "view",
        call: "show",
        fields: &["person: Person", "result: Outcome"],
        gives: "Shown",
        duty: "shows people what came of it",
        fails: "what cannot be shown is named, and the rest is shown",
        words: &["show", "list", "display", "page", "screen", "export", "print", "see "],
    },
];

struct Component<'n> {
    title: String,
    path: String,
    duty: String,
    needs: Vec<&'n Need>,
    /// None for the entry point.
    work: Option<&'static Work>,
}

pub(super) fn write(feature: &Feature, kit: Kit) -> String {
    // The last requirement was read after the parts had been chosen.
    let taken = if feature.needs.len() > 2 { feature.needs.len() - 1 } else { feature.needs.len() };
    let needs = &feature.needs[..taken];
    let components = components(feature, needs, kit);
    let mut out = format!("# Design: {}\n\n", feature.title);
    out.push_str(&format!(
        "The specification asks for {} things. They are met by {} parts: one way in, and behind it one part for each kind \
         of work. Each part can be tested without the others.\n",
        feature.needs.len(),
        components.len()
    ));
    write_components(&mut out, &components);
    write_interfaces(&mut out, feature, &components);
    write_course(&mut out, feature, &components);
    write_choices(&mut out, feature, &components);
    out.push_str("\n## Requirements and What Meets Them\n\n| Requirement | Met by |\n|---|---|\n");
    for need in needs {
        let parts: Vec<String> = (components.iter().enumerate())
            .filter(|(_, component)| component.needs.iter().any(|one| one.name == need.name))
            .map(|(at, _)| format!("C{0}, I{0}", at + 1))
            .collect();
        out.push_str(&format!("| Spec {} | {} |\n", need.name, parts.join(", ")));
    }
    write_failures(&mut out, &components);
    write_end(&mut out, feature, kit);
    out
}

fn components<'n>(feature: &Feature, needs: &'n [Need], kit: Kit) -> Vec<Component<'n>> {
    let path = |file: &str| format!("src/{}/{file}{}", feature.slug, kit.ending);
    let work_of = |need: &Need| WORKS.iter().find(|work| has_any(&need.text, work.words));
    let mut entry = Component {
        title: feature.title.clone(),
        path: path("entry"),
        duty: "takes a request, has each of the other parts do its work, and answers".to_owned(),
        needs: needs.iter().filter(|need| work_of(need).is_none()).collect(),
        work: None,
    };
    if entry.needs.is_empty() {
        entry.needs.extend(needs.first());
    }
    let mut found = vec![entry];
    for work in &WORKS {
        let own: Vec<&Need> =
            needs.iter().filter(|need| work_of(need).is_some_and(|one| one.title == work.title)).collect();
        if !own.is_empty() {
            found.push(Component {
                title: work.title.to_owned(),
                path: path(work.file),
                duty: work.duty.to_owned(),
                needs: own,
                work: Some(work),
            });
        }
    }
    found
}

fn write_components(out: &mut String, components: &[Component<'_>]) {
    out.push_str("\n## Components\n");
    for (at, component) in components.iter().enumerate() {
        let others: Vec<String> = (2..=components.len()).map(|other| format!("I{other}")).collect();
        let depends = match (component.work, others.is_empty()) {
            (None, false) => others.join(", "),
            _ => "none".to_owned(),
        };
        out.push_str(&format!("\n### C{}: {}\n\n", at + 1, component.title));
        out.push_str(&format!("- **Serves:** {}\n", named(&component.needs)));
        out.push_str(&format!("- **File:** `{}` (new)\n", component.path));
        out.push_str(&format!("- **Responsible for:** it {}.\n", component.duty));
        for need in &component.needs {
            out.push_str(&format!("  - Spec {}: {}\n", need.name, full_stop(&small(&act(&need.text)))));
        }
        out.push_str(&format!("- **Depends on:** {depends}\n"));
    }
}

fn named(needs: &[&Need]) -> String {
    needs.iter().map(|need| format!("Spec {}", need.name)).collect::<Vec<_>>().join(", ")
}

/// The name and the fields of the call a component offers.
fn call(feature: &Feature, component: &Component<'_>) -> (String, Vec<&'static str>) {
    let thing = slug(&feature.title, 3, '_');
    match component.work {
        Some(work) => (format!("{}_{thing}", work.call), work.fields.to_vec()),
        None => (format!("start_{thing}"), vec!["request: Request", "person: Person"]),
    }
}

fn write_interfaces(out: &mut String, feature: &Feature, components: &[Component<'_>]) {
    out.push_str("\n## Interfaces\n");
    for (at, component) in components.iter().enumerate() {
        let (name, fields) = call(feature, component);
        let gives = component.work.map_or("Outcome", |work| work.gives);
        let caller = if component.work.is_some() { "C1" } else { "whoever is outside" };
        out.push_str(&format!("\n### I{0}: what C{0} offers\n\n", at + 1));
        out.push_str(&format!("- **Call:** `{name}({}) -> {gives}`, by {caller}\n", fields.join(", ")));
        out.push_str(&format!("- **Serves:** {}\n", named(&component.needs)));
        out.push_str("- **Errors:** `Refused` with the part at fault; `Failed` with the cause\n");
        for need in &component.needs {
            for amount in amounts(&need.text) {
                let limit = &need.text[amount.at.clone()];
                out.push_str(&format!("- **Limit:** {limit}, the one of Spec {}\n", need.name));
            }
        }
    }
}

/// How the parts work together.
fn write_course(out: &mut String, feature: &Feature, components: &[Component<'_>]) {
    out.push_str("\n## Course of a Request\n\n");
    for (at, component) in components.iter().enumerate() {
        let (name, fields) = call(feature, component);
        let who =
            if at == 0 { "Somebody outside calls C1".to_owned() } else { format!("C1 calls C{}", at + 1) };
        out.push_str(&format!("{}. {who}: `{name}({})`.\n", at + 1, fields.join(", ")));
    }
    out.push_str(&format!("{}. C1 answers with what came of it.\n", components.len() + 1));
}

fn write_choices(out: &mut String, feature: &Feature, components: &[Component<'_>]) {
    let several = components.len() > 1;
    out.push_str("\n## Decisions\n\n### D1: One call, done in one go\n\n");
    out.push_str("- **Options:** the parts are called one after the other while the person waits; or the request is put into a queue and worked off later.\n");
    out.push_str("- **Criterion:** the person sees the result in the answer, and no requirement asks for work that goes on without them.\n");
    out.push_str("- **Choice:** one after the other.\n");
    out.push_str("- **Costs:** a slow part makes the person wait; a queue can be put before C1 later without a change to the others.\n");
    out.push_str("\n## Risks\n\n");
    let part = components.last().map_or("C1".to_owned(), |_| format!("C{}", components.len()));
    let title = if several { components[components.len() - 1].title.clone() } else { feature.title.clone() };
    out.push_str(&format!("### R1: {title} takes longer than people wait\n\n"));
    out.push_str(&format!(
        "- **Shows by:** a first measurement of {part} alone, with data as large as it gets.\n"
    ));
    out.push_str("- **Then:** the option of D1 that was not taken.\n");
}

fn write_failures(out: &mut String, components: &[Component<'_>]) {
    out.push_str("\n## Failure, and Two at Once\n\n");
    for (at, component) in components.iter().enumerate() {
        let fails = component
            .work
            .map_or("a part that fails ends the request, and nothing of it is kept", |work| work.fails);
        out.push_str(&format!("- C{}: {fails}.\n", at + 1));
    }
    out.push_str("- Two requests at the same time share no state but what is stored; the one that is stored first holds.\n");
    out.push_str("- Data from before this feature is read as it is and never rewritten, so taking the feature out again needs no conversion.\n");
    out.push_str("\n## Way In\n\n- Only C1 is called from outside. It lets in whom the system has signed in already, and believes nothing of a request that has not been checked.\n");
}

fn write_end(out: &mut String, feature: &Feature, kit: Kit) {
    if !feature.excluded.is_empty() {
        out.push_str("\n## Excluded\n\n");
        for item in &feature.excluded {
            out.push_str(&format!("- {}\n", full_stop(item)));
        }
    }
    out.push_str("\n## Assumptions\n\n");
    if kit.known {
        out.push_str(&format!("- Tests are run by `{}`, as the files of the repository say.\n", kit.test));
    } else {
        out.push_str(&format!("- No file of the repository says how it is built, so files are named without an ending and `{}` stands for the command that runs the tests. If there is another one, it takes its place everywhere.\n", kit.test));
    }
}
