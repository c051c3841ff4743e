//! `redraft cost --svg`: draws what each round cost and what it might have cost, as one picture.
//!
//! A panel for each role, a column for each dispatch, one scale for all. Bars are bills; marks are estimates, filled
//! for the way that was taken and hollow for the others. Each strategy has its own shape, colour and place in a
//! column, so that marks never hide each other and colour carries nothing alone. Start at [`draw`]; [`whole_file`](redraft_frame::whole_file) puts
//! it into a file.

mod axis;
#[cfg(test)]
mod tests;

use super::Feature;
use super::text::in_money;
use axis::Axis;
use redraft_core::bills::Bill;
use redraft_facts::choice::{Prediction, Strategy};
use redraft_facts::text::one_line;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::{Usage, Usd, grouped};
use redraft_frame::whole_file::OwnFiles;
use redraft_reports::html::escaped;
use redraft_reports::projections::costs::{Costs, Dispatch, PhaseCosts, RoleCosts, not_cached};
use std::fmt::Write;

/// What distinguishes a drawing of this command from any other file.
const MADE_BY: &str = "data-made-by=\"redraft cost\"";

/// The files that this command may replace.
pub(super) const OWN: OwnFiles = OwnFiles {
    called: "drawing",
    such_as: "cost.svg",
    temporary: ".redraft-cost-",
    begins: "<svg ",
    made_by: MADE_BY,
};

const WIDTH_MIN: usize = 720;
const LEFT: usize = 88;
const RIGHT: usize = 24;
const COLUMN: usize = 84;
const HEAD: usize = 116;
/// The heights of a panel: its name, the plot, and what stands below each column.
const NAME: usize = 34;
const PLOT: usize = 150;
const FEET: usize = 66;
/// More columns cannot be read side by side; the latest are drawn.
const COLUMNS_MAX: usize = 40;
/// With what follows it, this fits the narrowest picture.
const SLUG_CHARS_MAX: usize = 44;

/// Colours for both backgrounds, by class, so that programs without CSS variables show them as well.
const STYLE: &str = "\
text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#1f2328}\
.big{font-size:17px;font-weight:600}.soft{fill:#59636e}.mid{text-anchor:middle}.end{text-anchor:end}\
.paper{fill:#ffffff}.grid{stroke:#d1d9e0}.base{stroke:#59636e}\
.inline{fill:#0969da;stroke:#0969da}.lazy{fill:#bc4c00;stroke:#bc4c00}\
.digest{fill:#1a7f37;stroke:#1a7f37}.resume{fill:#8250df;stroke:#8250df}\
.mark{stroke-width:1.6}.hollow{fill:#ffffff}.bar{stroke:none}\
@media (prefers-color-scheme:dark){text{fill:#f0f6fc}.soft{fill:#9198a1}.paper{fill:#0d1117}.grid{stroke:#3d444d}\
.base{stroke:#9198a1}.inline{fill:#58a6ff;stroke:#58a6ff}.lazy{fill:#f0883e;stroke:#f0883e}\
.digest{fill:#3fb950;stroke:#3fb950}.resume{fill:#bc8cff;stroke:#bc8cff}.hollow{fill:#0d1117}.bar{stroke:none}}";

/// The picture, complete in itself.
pub(super) fn draw(feature: &Feature) -> String {
    let whom = match feature.scope {
        Scope::Feature(id) => format!("feature {id}"),
        _ => feature.scope.to_string(),
    };
    picture(&whom, &feature.costs)
}

fn picture(whom: &str, costs: &Costs) -> String {
    let panels: Vec<Panel<'_>> = costs
        .phases
        .iter()
        .flat_map(|phase| phase.roles.iter().map(move |role| Panel::new(phase, role)))
        .collect();
    let unit = Unit::new(costs);
    let columns = panels.iter().map(|panel| panel.dispatches.len()).max().unwrap_or(0);
    let width = WIDTH_MIN.max(LEFT + columns * COLUMN + RIGHT);
    let height = HEAD + panels.len().max(1) * (NAME + PLOT + FEET) + 8;
    let axis = Axis::up_to(panels.iter().filter_map(|panel| panel.most(unit)).max().unwrap_or(0));
    let title = format!("What {whom} cost, round by round");
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" {MADE_BY} width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title desc\">\n\
         <title id=\"title\">{title}</title>\n<desc id=\"desc\">{}</desc>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n\
         <text class=\"big\" x=\"20\" y=\"32\">{title}</text>\n\
         <text class=\"soft\" x=\"20\" y=\"54\">{}; {}</text>\n",
        escaped(&described(&panels, unit)),
        escaped(&one_line(&costs.slug, SLUG_CHARS_MAX)),
        unit.explained()
    );
    legend(&mut out, &panels, unit);
    for (at, panel) in panels.iter().enumerate() {
        panel.draw(&mut out, HEAD + at * (NAME + PLOT + FEET), width, &axis, unit);
    }
    if panels.is_empty() {
        put(&mut out, format_args!("<text x=\"20\" y=\"{}\">nothing has been sent yet</text>", HEAD + 20));
    }
    out.push_str("</svg>\n");
    out
}

/// What the scale counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Money,
    /// Where nothing costs money.
    Tokens,
}

impl Unit {
    fn new(costs: &Costs) -> Unit {
        let sum = &costs.sum;
        let others = costs.dispatches().filter_map(Dispatch::prediction).flat_map(|one| &one.alternatives);
        let money = sum.billed.cost > Usd(0) || sum.prediction.cost > Usd(0) || sum.unknown > 0;
        if money || others.into_iter().any(|other| other.usage.cost > Usd(0)) {
            Unit::Money
        } else {
            Unit::Tokens
        }
    }

    fn explained(self) -> &'static str {
        match self {
            Unit::Money => "dollars per dispatch",
            Unit::Tokens => "nothing cost money: input tokens not read from the cache",
        }
    }

    fn amount(self, usage: &Usage) -> u64 {
        match self {
            Unit::Money => usage.cost.0,
            Unit::Tokens => not_cached(usage),
        }
    }

    fn shown(self, amount: u64) -> String {
        match self {
            Unit::Money => Usd(amount).to_string(),
            Unit::Tokens => grouped(amount),
        }
    }
}

struct Panel<'a> {
    name: String,
    dispatches: &'a [Dispatch],
    /// How many earlier ones are left out.
    left_out: usize,
}

impl<'a> Panel<'a> {
    fn new(phase: &PhaseCosts, role: &'a RoleCosts) -> Panel<'a> {
        let left_out = role.dispatches.len().saturating_sub(COLUMNS_MAX);
        let name = format!("{} ({}, pass {})", role.role, phase.phase, phase.pass);
        Panel { name, dispatches: &role.dispatches[left_out..], left_out }
    }

    fn most(&self, unit: Unit) -> Option<u64> {
        let marks =
            self.dispatches.iter().flat_map(|one| marks(one, unit)).map(|mark| unit.amount(mark.usage));
        let bills = self.dispatches.iter().filter_map(|one| one.billed()).map(|usage| unit.amount(usage));
        marks.chain(bills).max()
    }

    fn draw(&self, out: &mut String, top: usize, width: usize, axis: &Axis, unit: Unit) {
        let base = (top + NAME + PLOT) as f64;
        let height = |amount: u64| PLOT as f64 * axis.share(amount);
        let name = escaped(&self.name);
        let more = match self.left_out {
            0 => String::new(),
            some => format!(", the latest {} of {}", self.dispatches.len(), self.dispatches.len() + some),
        };
        put(out, format_args!("<text x=\"20\" y=\"{}\">{name}{more}</text>", top + 16));
        for (value, label) in axis.ticks(unit == Unit::Money) {
            let y = base - height(value);
            put(
                out,
                format_args!(
                    "<line class=\"{}\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                     <text class=\"soft end\" x=\"{}\" y=\"{:.1}\">{label}</text>",
                    if value == 0 { "base" } else { "grid" },
                    width - RIGHT,
                    LEFT - 8,
                    y + 4.0
                ),
            );
        }
        for (at, dispatch) in self.dispatches.iter().enumerate() {
            column(out, LEFT + at * COLUMN, base, dispatch, unit, &height);
        }
    }
}

/// One dispatch: its bar, its marks, and what stands below.
fn column(out: &mut String, left: usize, base: f64, one: &Dispatch, unit: Unit, height: &dyn Fn(u64) -> f64) {
    const BAR: usize = 24;
    put(out, format_args!("<g><title>{}</title>", escaped(&told(one, unit))));
    let name = one.strategy().name();
    let value = match &one.bill {
        Bill::Known(usage) => {
            let amount = unit.amount(usage);
            let tall = height(amount);
            // Without marks next to it, it stands in the middle.
            let x = left + if marks(one, unit).next().is_some() { 8 } else { (COLUMN - BAR) / 2 };
            let y = base - tall;
            put(
                out,
                format_args!(
                    "<rect class=\"bar {name}\" x=\"{x}\" y=\"{y:.1}\" width=\"{BAR}\" height=\"{tall:.1}\"/>"
                ),
            );
            unit.shown(amount)
        }
        Bill::Unknown { .. } => "bill unknown".to_owned(),
        Bill::UnderWay => one.end.to_owned(),
    };
    for mark in marks(one, unit) {
        let slot = Strategy::ALL.iter().position(|strategy| *strategy == mark.strategy).unwrap_or(0);
        let x = (left + 42 + slot * 11) as f64;
        shape(out, mark.strategy, mark.chosen, x, base - height(unit.amount(mark.usage)));
    }
    let middle = left + COLUMN / 2;
    for (line, text, class) in [(18, one.round(), ""), (33, name.to_owned(), " soft"), (48, value, "")] {
        let y = base + f64::from(line);
        put(out, format_args!("<text class=\"mid{class}\" x=\"{middle}\" y=\"{y:.1}\">{text}</text>"));
    }
    put(out, format_args!("</g>"));
}

/// An estimate in the picture.
struct Mark<'a> {
    strategy: Strategy,
    usage: &'a Usage,
    chosen: bool,
}

/// None where it was billed in money and predicted by a card without prices: they would say that it costs nothing.
fn marks<'a>(one: &'a Dispatch, unit: Unit) -> impl Iterator<Item = Mark<'a>> {
    let billed = one.billed().is_some_and(|usage| usage.cost > Usd(0));
    let misleading = |prediction: &Prediction| unit == Unit::Money && billed && !in_money(prediction);
    let prediction = one.prediction().filter(|prediction| !misleading(prediction));
    let chosen = |prediction: &'a Prediction| Mark {
        strategy: one.strategy(),
        usage: &prediction.usage,
        chosen: true,
    };
    let others = prediction.into_iter().flat_map(|prediction| &prediction.alternatives);
    let others = others.filter(|other| other.strategy != one.strategy());
    let others = others.map(|other| Mark { strategy: other.strategy, usage: &other.usage, chosen: false });
    prediction.map(chosen).into_iter().chain(others)
}

/// Inline is a circle, lazy a square, digest a triangle, resume a diamond.
fn shape(out: &mut String, strategy: Strategy, filled: bool, x: f64, y: f64) {
    const R: f64 = 4.5;
    let class = format!("mark {}{}", strategy.name(), if filled { "" } else { " hollow" });
    let points = match strategy {
        Strategy::Inline => {
            put(out, format_args!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{R}\"/>"));
            return;
        }
        Strategy::Lazy => [(-R, -R), (R, -R), (R, R), (-R, R)].to_vec(),
        Strategy::Digest => [(0.0, -R), (R, R), (-R, R)].to_vec(),
        Strategy::Resume => [(0.0, -R - 1.0), (R + 1.0, 0.0), (0.0, R + 1.0), (-R - 1.0, 0.0)].to_vec(),
    };
    let points: Vec<String> = points.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy)).collect();
    put(out, format_args!("<polygon class=\"{class}\" points=\"{}\"/>", points.join(" ")));
}

/// Only what is in the picture.
fn legend(out: &mut String, panels: &[Panel<'_>], unit: Unit) {
    let used = |wanted: Strategy| {
        let dispatches = panels.iter().flat_map(|panel| panel.dispatches);
        dispatches
            .into_iter()
            .any(|one| one.strategy() == wanted || marks(one, unit).any(|mark| mark.strategy == wanted))
    };
    let predicted =
        panels.iter().flat_map(|panel| panel.dispatches).any(|one| marks(one, unit).next().is_some());
    let mut x = 20;
    for strategy in Strategy::ALL.into_iter().filter(|strategy| used(*strategy)) {
        let name = strategy.name();
        put(out, format_args!("<rect class=\"bar {name}\" x=\"{x}\" y=\"68\" width=\"12\" height=\"12\"/>"));
        let label = x + if predicted { 36 } else { 18 };
        if predicted {
            shape(out, strategy, true, (x + 24) as f64, 74.0);
        }
        put(out, format_args!("<text x=\"{label}\" y=\"78\">{name}</text>"));
        x = label + name.len() * 7 + 22;
    }
    let text = match (panels.is_empty(), predicted) {
        (true, _) => return,
        (_, true) => "bar: billed · filled mark: predicted · hollow mark: alternative (marks are estimates)",
        (_, false) => "bar: billed · no alternatives were predicted with the prices it is billed at",
    };
    put(out, format_args!("<text class=\"soft\" x=\"20\" y=\"100\">{text}</text>"));
}

/// The whole picture in words.
fn described(panels: &[Panel<'_>], unit: Unit) -> String {
    if panels.is_empty() {
        return "Nothing has been sent yet.".to_owned();
    }
    let panel = |panel: &Panel<'_>| {
        let rounds: Vec<String> = panel.dispatches.iter().map(|one| told(one, unit)).collect();
        format!("{}: {}.", panel.name, rounds.join("; "))
    };
    panels.iter().map(panel).collect::<Vec<_>>().join(" ")
}

fn told(one: &Dispatch, unit: Unit) -> String {
    let mut text = format!("{}, {}: ", one.round(), one.strategy().name());
    text.push_str(&match &one.bill {
        Bill::Known(usage) if unit == Unit::Money => format!("billed {}", unit.shown(usage.cost.0)),
        Bill::Known(usage) => format!("{} tokens", grouped(not_cached(usage))),
        Bill::Unknown { counted } => format!("bill unknown, {counted} counted"),
        Bill::UnderWay => one.end.to_owned(),
    });
    for mark in marks(one, unit) {
        let amount = unit.shown(unit.amount(mark.usage));
        let what = if mark.chosen { "predicted" } else { mark.strategy.name() };
        text.push_str(&format!(", {what} ~{amount}"));
    }
    text
}

fn put(out: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing into a text cannot fail.
    let _ = writeln!(out, "{what}");
}
