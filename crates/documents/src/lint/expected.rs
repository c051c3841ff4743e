//! Parts that readers expect in a document, found under any of the headings people give them.

use super::language::Language;
use super::page::{LinePlace, Page};
use super::{ArtifactKind, Faults, LintSettings, Rule};
use redraft_facts::prelude::*;

/// A part of a document, and the words of which a heading about it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedPart {
    /// Its name in the message that it is missing.
    pub name: String,
    /// Compared without regard to case, anywhere in a heading or a label in bold.
    pub variants: Vec<String>,
}

impl ExpectedPart {
    /// `"Requirements | Scope"`: the first is the name; any of them will do.
    pub fn parse(text: &str) -> Option<ExpectedPart> {
        let variants: Vec<String> =
            text.split('|').map(|part| part.trim().to_lowercase()).filter(|part| !part.is_empty()).collect();
        let name = text.split('|').map(str::trim).find(|part| !part.is_empty())?.to_owned();
        Some(ExpectedPart { name, variants })
    }
}

/// What is expected unless a project says otherwise, in the languages there are words for.
pub fn usual(kind: ArtifactKind) -> Vec<ExpectedPart> {
    let parts: &[&str] = match kind {
        ArtifactKind::Prd => &[
            "Problem | goal | objective | purpose | motivation | background | why | overview | summary | intent | \
             need | vision | context | problema | objetivo | ziel | zweck | hintergrund | übersicht | problème | \
             objectif | contexte | проблема | цель | контекст | обзор | 问题 | 目标 | 背景 | 概述",
        ],
        ArtifactKind::Spec => &[
            "Requirements | scope | functional | behavio | user stor | use case | scenario | rules | feature | \
             capabilit | contract | what changes | anforderung | umfang | verhalten | requisito | alcance | \
             comportamiento | exigence | besoin | périmètre | comportement | требовани | область | поведение | 需求 | \
             要求 | 范围 | 功能",
            "Acceptance Criteria | acceptance | success | criteria | done | verif | test | outcome | abnahme | \
             kriteri | prüf | akzeptanz | erfolg | aceptación | criterio | éxito | critère | acceptation | succès | \
             recette | критери | приёмк | приемк | проверк | 验收 | 标准 | 成功",
        ],
        ArtifactKind::Design => &[
            "Architecture | component | overview | approach | solution | structure | design | module | data flow | \
             how it works | technical | changes | architektur | aufbau | ansatz | entwurf | lösung | komponent | \
             arquitectura | componente | enfoque | solución | composant | approche | conception | архитектур | \
             компонент | подход | решение | 架构 | 组件 | 设计 | 方案",
        ],
        ArtifactKind::Plan => &[
            "Steps | step | order | phase | stage | milestone | sequence | task | group | implementation | work | \
             approach | rollout | schritt | reihenfolge | abschnitt | ablauf | paso | orden | fase | etapa | étape | \
             ordre | шаг | порядок | этап | 步骤 | 顺序 | 阶段 | 任务",
        ],
        ArtifactKind::Tasks => &[],
    };
    parts.iter().filter_map(|part| ExpectedPart::parse(part)).collect()
}

pub(super) fn check(
    page: &Page<'_>,
    kind: ArtifactKind,
    language: Language,
    settings: &LintSettings,
    faults: &mut Faults<'_>,
) {
    let expected = match settings.sections.get(&kind) {
        Some(own) => own.clone(),
        // Only the words of these languages are known.
        None if language == Language::Other => Vec::new(),
        None => usual(kind),
    };
    if expected.is_empty() || page.headings.is_empty() {
        return;
    }
    let titles = titles(page);
    for part in expected {
        let found = titles.iter().any(|title| part.variants.iter().any(|variant| title.contains(variant)));
        if !found {
            let message = format!("no heading is about `{}`", part.name);
            let others: Vec<String> =
                part.variants.iter().skip(1).take(3).map(|variant| format!("`{variant}`")).collect();
            let hint = match others.as_slice() {
                [] => format!("add a section `{}`, or change [lint.sections] in redraft.toml", part.name),
                others => format!(
                    "add a section `{}` (a heading with {} or the like will do), or change [lint.sections] in \
                     redraft.toml",
                    part.name,
                    others.join(", ")
                ),
            };
            faults.add(Rule::MissingSection, 0, message, &hint);
        }
    }
}

/// Headings, and labels in bold that begin a line, in small letters.
fn titles(page: &Page<'_>) -> Vec<String> {
    let headings = page.headings.iter().map(|heading| heading.title.to_lowercase());
    let labels = page.lines.iter().filter(|line| line.place == LinePlace::Text).filter_map(|line| {
        let text = super::page::after_list_mark(line.text.trim_start());
        let (label, _) = text.strip_prefix("**")?.split_once("**")?;
        Some(label.to_lowercase())
    });
    headings.chain(labels).collect()
}
