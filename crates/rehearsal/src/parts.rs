//! What a section of a specification is for, told from its title alone.

/// What a section is for, as far as its headings say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Acceptance,
    Goals,
    Requirements,
    Failures,
    Risks,
    Questions,
    /// Out of scope, non-goals, deferred.
    Excluded,
    /// Tables that only say what belongs to what.
    Tracing,
    /// Why, today, history, examples: not what is asked for.
    Background,
}

/// What a title says its section is for.
pub(super) fn part_of(title: &str) -> Option<Part> {
    // Earlier rows win: "Acceptance of errors" is acceptance, "Failure scenarios" are failures.
    const PARTS: [(Part, &str); 9] = [
        (
            Part::Excluded,
            "out of scope, out-of-scope, non-goal, nongoal, non goal, not in scope, non-requirement",
        ),
        (Part::Excluded, "deferred, not part of, exclusion, will not, won't"),
        (Part::Tracing, "traceab, coverage, mapping, matrix"),
        (Part::Risks, "risk"),
        (Part::Requirements, "requirement, what it does, behaviour, behavior"),
        (
            Part::Acceptance,
            "acceptance, success criteria, exit criteria, definition of done, done when, test case",
        ),
        (Part::Goals, "goal, objective"),
        (Part::Failures, FAILING),
        (Part::Acceptance, "scenario, verification, test plan, tests, how we know, how we check"),
    ];
    const FAILING: &str =
        "failure, error, edge case, boundary case, corner case, go wrong, may fail, can fail";
    const BACKGROUND: &str = "problem, background, motivation, context, history, changelog, revision, review log, \
        evidence, reference, appendix, example, current state, today, alternative, rationale, glossary, \
        assessment, assumption, dependenc, overview, summary, introduction, research";
    let bare = title.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    if ["open question", "open issue", "unresolved", "questions"].iter().any(|word| bare.starts_with(word)) {
        return Some(Part::Questions);
    }
    let names = |words: &str| words.split(", ").any(|word| bare.contains(word));
    // "Risks and failure cases" lists failures.
    if names("risk") && names(FAILING) {
        return Some(Part::Failures);
    }
    let found = PARTS.iter().find(|(_, words)| names(words)).map(|(part, _)| *part);
    found.or_else(|| names(BACKGROUND).then_some(Part::Background))
}
