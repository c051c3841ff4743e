//! Bars as SVG that stretch to the width they are given. Labels stay text beside them, so that they can be read at any
//! width and by any reader.

use maud::{Markup, html};
use redraft_facts::prelude::*;

/// A part of a bar; its class is its colour.
pub struct Part {
    pub class: &'static str,
    pub amount: u64,
}

/// Parts side by side on a scale up to `most`, with a mark at another amount. `told` is the bar in words.
pub fn bar(parts: &[Part], mark: Option<u64>, most: u64, told: &str) -> Markup {
    let share = |amount: u64| amount as f64 * 100.0 / most.max(1) as f64;
    let mut left = 0.0;
    let rects: Vec<(&str, f64, f64)> = parts
        .iter()
        .filter(|part| part.amount > 0)
        .map(|part| {
            let (x, width) = (left, share(part.amount).max(0.4));
            left += width;
            (part.class, x, width)
        })
        .collect();
    html! {
        svg.bar viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=(told) {
            @for (class, x, width) in rects {
                rect class=(class) x=(format!("{x:.2}")) y="1" width=(format!("{width:.2}")) height="8" {}
            }
            @if let Some(mark) = mark {
                rect.m x=(format!("{:.2}", (share(mark) - 0.35).clamp(0.0, 99.3))) y="0" width="0.7" height="10" {}
            }
        }
    }
}

/// A column for each amount, in order. `told` is the plot in words.
pub fn columns(amounts: &[u64], told: &str) -> Markup {
    let most = amounts.iter().copied().max().unwrap_or(0).max(1);
    // A few columns stay as slim as many.
    const FEWEST: usize = 12;
    let width = 100.0 / amounts.len().max(FEWEST) as f64;
    html! {
        svg.trend viewBox="0 0 100 50" preserveAspectRatio="none" role="img" aria-label=(told) {
            rect.b x="0" y="49.4" width="100" height="0.6" {}
            @for (at, amount) in amounts.iter().enumerate() {
                @let height = (*amount as f64 * 48.0 / most as f64).max(if *amount > 0 { 0.6 } else { 0.0 });
                rect.a x=(format!("{:.2}", at as f64 * width + width * 0.12)) y=(format!("{:.2}", 50.0 - height))
                    width=(format!("{:.2}", width * 0.76)) height=(format!("{height:.2}")) {}
            }
        }
    }
}
