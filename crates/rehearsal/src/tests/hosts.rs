//! Designs, plans and task lists that people wrote in three styles: well-made ones get no finding, a planted defect
//! exactly one, and it is mended.

use super::course::{Course, Way};
use redraft_core::phase::Phase;
use redraft_core::profile::cast;
use redraft_core::prompt::Fragment;
use redraft_core::verdict::Verdict;

const LATER: [Phase; 3] = [Phase::Design, Phase::CreatePlan, Phase::CreateTasks];

/// A document of each later phase, with those it builds on, as people wrote them.
struct Host {
    name: &'static str,
    texts: [(&'static str, &'static str); 4],
}

macro_rules! host {
    ($name:literal) => {
        Host {
            name: $name,
            texts: [
                ("spec.md", include_str!(concat!("../fixtures/later/", $name, "/spec.md"))),
                ("design.md", include_str!(concat!("../fixtures/later/", $name, "/design.md"))),
                ("plan.md", include_str!(concat!("../fixtures/later/", $name, "/plan.md"))),
                ("tasks.md", include_str!(concat!("../fixtures/later/", $name, "/tasks.md"))),
            ],
        }
    };
}

const HOSTS: [Host; 3] = [host!("house"), host!("tables"), host!("checklist")];

impl Host {
    fn named(name: &str) -> &'static Host {
        HOSTS.iter().find(|host| host.name == name).unwrap()
    }

    fn text(&self, phase: Phase) -> &'static str {
        self.texts.iter().find(|(name, _)| *name == phase.artifact()).unwrap().1
    }

    /// The papers up to a phase, its own with this text.
    fn course(&self, phase: Phase, text: &str) -> Course {
        let mut course = Course::new("as written", "");
        for (name, text) in self.texts {
            if Phase::writing(name).unwrap() < phase {
                course.put(name, text);
            }
        }
        course.put(phase.artifact(), text);
        course.enter(phase);
        course
    }
}

#[test]
fn documents_that_people_wrote_well_get_no_finding() {
    for host in &HOSTS {
        for phase in LATER {
            let mut course = host.course(phase, host.text(phase));
            for role in cast(phase).iter().skip(1).map(|profile| profile.role) {
                let verdict = course.fresh(role, Way::Lazy);
                assert!(
                    verdict.approved && verdict.issues.is_empty(),
                    "{} {phase} {role}: {verdict:#?}",
                    host.name
                );
            }
        }
    }
}

struct Plant {
    host: &'static str,
    phase: Phase,
    edits: &'static [(&'static str, &'static str)],
    /// Which of the two reviewers finds it: 1 the domain reviewer, 2 the phase reviewer.
    seat: usize,
    severity: &'static str,
    category: &'static str,
    says: &'static str,
}

const fn plant(
    host: &'static str,
    phase: Phase,
    edits: &'static [(&'static str, &'static str)],
    seat: usize,
    (severity, category, says): (&'static str, &'static str, &'static str),
) -> Plant {
    Plant { host, phase, edits, seat, severity, category, says }
}

const PLANTS: [Plant; 24] = [
    plant(
        "house",
        Phase::Design,
        &[("| Spec R4 | C2, I1 |\n", ""), ("Spec R1, Spec R2, Spec R4", "Spec R1, Spec R2")],
        1,
        ("blocker", "completeness", "requirement `R4`"),
    ),
    plant(
        "tables",
        Phase::Design,
        &[("| FR-1, FR-3 |", "| FR-1 |"), (", serves FR-3", "")],
        1,
        ("blocker", "completeness", "requirement `FR-3`"),
    ),
    plant(
        "checklist",
        Phase::Design,
        &[("\n(FR-004)", "")],
        1,
        ("blocker", "completeness", "requirement `FR-004`"),
    ),
    plant(
        "house",
        Phase::Design,
        &[(
            "## Interfaces\n",
            "### C3: Cache warmer\n\n- **File:** `src/warm.rs` (new)\n\nFills the cache at night.\n\n## Interfaces\n",
        )],
        1,
        ("warning", "complexity", "component `C3`"),
    ),
    plant(
        "house",
        Phase::Design,
        &[("so `revoke(key: KeyId, by: Person)` may", "so `revoke(key: KeyId)` may")],
        1,
        ("blocker", "consistency", "interface `revoke`"),
    ),
    plant(
        "tables",
        Phase::Design,
        &[(
            "We add one service",
            "The worker is called with `write_page(note: Note)`.\n\nWe add one service",
        )],
        1,
        ("blocker", "consistency", "interface `write_page`"),
    ),
    plant(
        "house",
        Phase::Design,
        &[(
            "so that a revocation reaches it within 5 seconds",
            "so that every request with a revoked key is refused within 15 seconds",
        )],
        1,
        ("blocker", "consistency", "`15 seconds`"),
    ),
    plant(
        "house",
        Phase::Design,
        &[("- **Depends on:** I1\n", "- **Depends on:** I1, I7\n")],
        2,
        ("blocker", "traceability", "refers to `I7`"),
    ),
    plant(
        "house",
        Phase::Design,
        &[("| Spec R2 | C2 |", "| Spec R2, Spec R9 | C2 |")],
        2,
        ("blocker", "traceability", "refers to `R9`"),
    ),
    plant(
        "house",
        Phase::Design,
        &[(" Owner: Mira. Default: it does, greyed out.", "")],
        2,
        ("blocker", "completeness", "Does the console show revoked keys?"),
    ),
    plant(
        "house",
        Phase::CreatePlan,
        &[
            ("Design C1, Design I1, Design I2, Spec R3", "Design C1, Design I1, Spec R3"),
            (
                "`revoke(key: KeyId, by: Person) -> Revoked` (Design I2)",
                "`revoke(key: KeyId, by: Person) -> Revoked`",
            ),
        ],
        1,
        ("blocker", "feasibility", "`I2` of the design"),
    ),
    plant(
        "tables",
        Phase::CreatePlan,
        &[("COMP-2, IF-1, FR-3", "COMP-2, FR-3")],
        1,
        ("blocker", "feasibility", "`IF-1` of the design"),
    ),
    plant(
        "house",
        Phase::CreatePlan,
        &[("**Depends on:** none", "**Depends on:** 2.1")],
        1,
        ("blocker", "dependency", "1.1 → 2.1 → 1.2"),
    ),
    plant(
        "tables",
        Phase::CreatePlan,
        &[
            ("| `app/pages.py` | none |", "| `app/pages.py` | 3 |"),
            ("| `app/export.py` | 1 |", "| `app/export.py` | none |"),
            ("| `app/web.py` | 2 |", "| `app/web.py` | none |"),
        ],
        1,
        ("warning", "dependency", "step `1` depends on `3`, which stands after it"),
    ),
    plant(
        "house",
        Phase::CreatePlan,
        &[("**Depends on:** 1.2", "**Depends on:** 1.2, 3.4")],
        1,
        ("warning", "dependency", "depends on `3.4`, which does not exist"),
    ),
    plant(
        "house",
        Phase::CreatePlan,
        &[("**Depends on:** 1.2", "**Depends on:** 1.1")],
        1,
        ("warning", "dependency", "step `2.1` uses `revoke` of step `1.2`"),
    ),
    plant(
        "house",
        Phase::CreatePlan,
        &[(
            "**Check:** `tests/gateway.rs`: status 401 for a revoked key, and a refusal while the store is stopped; it calls `revoke`.\n",
            "",
        )],
        1,
        ("warning", "tdd-order", "step `2.1`"),
    ),
    plant(
        "house",
        Phase::CreateTasks,
        &[("Plan 1.1, Design R1", "Plan 1.2, Design R1")],
        1,
        ("blocker", "plan-fidelity", "no task does step `1.1`"),
    ),
    plant(
        "house",
        Phase::CreateTasks,
        &[("Plan 2.1, Design I1", "Plan 2.7, Design I1")],
        1,
        ("warning", "plan-fidelity", "step `2.7`, which the plan does not have"),
    ),
    plant(
        "house",
        Phase::CreateTasks,
        &[("**Done when:**\n- `a_revoked_key_gets_401` passes; without 2 it fails.\n", "")],
        1,
        ("blocker", "testability", "task `2.1` (Refuse a revoked key) has no done criterion"),
    ),
    plant(
        "house",
        Phase::CreateTasks,
        &[("- All tests pass.", "- It works as expected.")],
        1,
        ("warning", "testability", "`It works as expected.`"),
    ),
    plant(
        "house",
        Phase::CreateTasks,
        &[("with a revoked key within 5 seconds", "with a revoked key within 30 seconds")],
        1,
        ("blocker", "plan-fidelity", "`30 seconds`"),
    ),
    plant(
        "house",
        Phase::CreateTasks,
        &[("**Depends on:** 2.1", "**Depends on:** 1.2")],
        1,
        ("warning", "dependencies", "both write `src/gateway.rs`"),
    ),
    plant(
        "tables",
        Phase::CreateTasks,
        &[("pictures larger than 10 MB (FR-3)", "pictures larger than 25 MB (FR-3)")],
        1,
        ("blocker", "plan-fidelity", "`25 MB`"),
    ),
];

impl Plant {
    fn text(&self) -> String {
        let mut text = Host::named(self.host).text(self.phase).to_owned();
        for (from, to) in self.edits {
            assert_eq!(text.matches(from).count(), 1, "{} {} has {from:?} once", self.host, self.phase);
            text = text.replace(from, to);
        }
        text
    }

    fn role(&self) -> &'static str {
        cast(self.phase)[self.seat].role
    }

    /// What is wrong with a verdict about it; nothing if it names the defect and no other.
    fn amiss(&self, verdict: &Verdict, how: &str) -> Option<String> {
        let shown: Vec<String> = verdict
            .issues
            .iter()
            .map(|issue| format!("{} {}: {}", issue.severity, issue.category, issue.description))
            .collect();
        let right = verdict.issues.len() == 1 && !verdict.approved;
        let named = verdict.issues.iter().any(|issue| {
            let kind = (issue.severity.name(), issue.category.as_str());
            kind == (self.severity, self.category) && issue.description.contains(self.says)
        });
        let name = format!("{} {} {how}: wanted {}, found {shown:#?}", self.host, self.phase, self.says);
        (!right || !named).then_some(name)
    }

    /// Found, mended, approved; or what went wrong.
    fn mended(&self) -> Option<String> {
        let mut course = Host::named(self.host).course(self.phase, &self.text());
        let verdict = course.fresh(self.role(), Way::Lazy);
        if let Some(amiss) = self.amiss(&verdict, "fresh") {
            return Some(amiss);
        }
        let answer = course.revise();
        let fixed = answer.answers.iter().all(|answer| answer.status.name() == "fixed");
        let again = course.resumed(self.role());
        let other = course.fresh(cast(self.phase)[3 - self.seat].role, Way::Lazy);
        let well = fixed && again.approved && other.approved;
        (!well).then(|| format!("{}: {answer:#?}\n{again:#?}\n{other:#?}\n{}", self.says, course.text()))
    }
}

#[test]
fn a_planted_defect_is_found_alone_and_then_mended_without_harm() {
    let failed: Vec<String> = PLANTS.iter().filter_map(Plant::mended).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn a_planted_defect_is_found_whichever_way_the_papers_arrive() {
    let mut failed: Vec<String> = Vec::new();
    for plant in &PLANTS {
        let host = Host::named(plant.host);
        let (clean, planted) = (host.text(plant.phase), plant.text());
        for way in [Way::Inline, Way::Digest(clean)] {
            let verdict = host.course(plant.phase, &planted).fresh(plant.role(), way);
            failed.extend(plant.amiss(&verdict, &format!("{way:?}")));
        }
        let mut course = host.course(plant.phase, clean);
        assert!(course.fresh(plant.role(), Way::Lazy).approved);
        course.put(plant.phase.artifact(), &planted);
        failed.extend(plant.amiss(&course.resumed(plant.role()), "resumed"));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

#[test]
fn what_a_gate_found_in_a_plan_is_mended() {
    let plan = Host::named("house")
        .text(Phase::CreatePlan)
        .replace("**Depends on:** none", "**Depends on:** 2.1, 9.9");
    let mut course = Host::named("house").course(Phase::CreatePlan, &plan);
    let gate = "## Failed Gate\n\n```text\nline 17 [dependency-cycle] 1.1 → 2.1 → 1.2\n```\n";
    let (_, answer) = course.author(vec![Fragment::new("gate", gate)]);
    assert!(answer.summary.contains("no longer depends on 2.1"), "{answer:#?}");
    assert!(course.fresh("plan-reviewer", Way::Lazy).approved, "{}", course.text());
}
