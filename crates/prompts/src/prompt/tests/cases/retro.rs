//! Every kind of dispatch to the agent that looks back on the made-up feature.

use crate::prompt::example::retro::{BUNDLE, LESSONS, brief, for_purpose};
use crate::prompt::retro::RetroBrief;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;

pub(in crate::prompt::tests) fn each(visit: &mut dyn FnMut(&str, &RetroBrief<'_>)) {
    for (purpose, bundle) in [(Purpose::Retro, BUNDLE), (Purpose::Judge, LESSONS)] {
        let brief = brief(for_purpose(purpose).expect("both questions have a text"), purpose, bundle);
        visit(purpose.name(), &brief);
        let why = Some("the answer holds no JSON object");
        visit(&format!("{purpose}, once more"), &RetroBrief { repair: why, ..brief });
    }
}
