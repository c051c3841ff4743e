//! `docs/prompts.md` is what the code says it is.

use std::path::Path;

#[test]
fn the_page_about_prompts_is_generated_from_the_prompts() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/prompts.md");
    let wanted = redraft_core::prompt::skeleton();
    if std::env::var_os("REDRAFT_BLESS").is_some() {
        std::fs::write(&page, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&page).unwrap_or_default();
    assert!(found == wanted, "docs/prompts.md is out of date; run this test once with REDRAFT_BLESS=1");
}
