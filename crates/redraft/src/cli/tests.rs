//! The documented tables are the real ones.

use super::errors::Code;

#[test]
fn the_page_of_exit_codes_is_the_table_of_the_program() {
    let mut page = String::from("# Exit codes\n\n| code | meaning |\n|---|---|\n");
    for (code, meaning) in Code::ALL {
        page.push_str(&format!("| {} | {meaning} |\n", code as i32));
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/exit-codes.md");
    assert_eq!(std::fs::read_to_string(file).unwrap(), page, "docs/exit-codes.md must say:\n{page}");
}
