//! Formats columns padded to their widest cell.

/// How the cells of a column are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// Rows as text, one a line; a row may be shorter than the list of columns.
pub fn table(columns: &[Align], rows: &[Vec<String>]) -> String {
    let wide = |text: &String| text.chars().count();
    let widths: Vec<usize> = (0..columns.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(wide).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for ((cell, width), lean) in row.iter().zip(&widths).zip(columns) {
            let pad = " ".repeat(width.saturating_sub(wide(cell)));
            line.push_str(&match lean {
                Align::Left => format!("{cell}{pad}  "),
                Align::Right => format!("{pad}{cell}  "),
            });
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lean_right_and_nothing_trails() {
        let rows = [["a", "1", "x"], ["bcd", "22", ""]];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
        assert_eq!(table(&[Align::Left, Align::Right, Align::Left], &rows), "a     1  x\nbcd  22\n");
    }
}
