//! The clean documents that defects are planted in: a name, the specification and the PRD if it has one.

pub(in crate::checks) type Host = (&'static str, &'static str, Option<&'static str>);

pub(in crate::checks) const HOSTS: [Host; 23] = [
    (
        "invites",
        include_str!("../../fixtures/invites.md"),
        Some(include_str!("../../fixtures/invites-prd.md")),
    ),
    ("export", include_str!("../../fixtures/export.md"), Some(include_str!("../../fixtures/export-prd.md"))),
    ("quota", include_str!("../../fixtures/quota.md"), None),
    ("login", include_str!("../../fixtures/login.md"), None),
    ("search", include_str!("../../fixtures/search.md"), Some(include_str!("../../fixtures/search-prd.md"))),
    ("sync", include_str!("../../fixtures/sync.md"), None),
    ("billing", include_str!("../../fixtures/billing.md"), None),
    (
        "checkout",
        include_str!("../../fixtures/checkout.md"),
        Some(include_str!("../../fixtures/checkout-prd.md")),
    ),
    ("audit", include_str!("../../fixtures/audit.md"), Some(include_str!("../../fixtures/audit-prd.md"))),
    ("memos", include_str!("../../fixtures/memos.md"), None),
    ("gateway", include_str!("../../fixtures/gateway.md"), None),
    ("backup", include_str!("../../fixtures/backup.md"), None),
    ("courses", include_str!("../../fixtures/courses.md"), None),
    (
        "greenhouse",
        include_str!("../../fixtures/fresh/greenhouse.md"),
        Some(include_str!("../../fixtures/fresh/greenhouse-prd.md")),
    ),
    (
        "library",
        include_str!("../../fixtures/fresh/library.md"),
        Some(include_str!("../../fixtures/fresh/library-prd.md")),
    ),
    (
        "parking",
        include_str!("../../fixtures/fresh/parking.md"),
        Some(include_str!("../../fixtures/fresh/parking-prd.md")),
    ),
    (
        "clinic",
        include_str!("../../fixtures/fresh/clinic.md"),
        Some(include_str!("../../fixtures/fresh/clinic-prd.md")),
    ),
    (
        "recipes",
        include_str!("../../fixtures/fresh/recipes.md"),
        Some(include_str!("../../fixtures/fresh/recipes-prd.md")),
    ),
    (
        "payroll",
        include_str!("../../fixtures/fresh/payroll.md"),
        Some(include_str!("../../fixtures/fresh/payroll-prd.md")),
    ),
    (
        "ferry",
        include_str!("../../fixtures/fresh/ferry.md"),
        Some(include_str!("../../fixtures/fresh/ferry-prd.md")),
    ),
    (
        "podcasts",
        include_str!("../../fixtures/fresh/podcasts.md"),
        Some(include_str!("../../fixtures/fresh/podcasts-prd.md")),
    ),
    (
        "shelter",
        include_str!("../../fixtures/fresh/shelter.md"),
        Some(include_str!("../../fixtures/fresh/shelter-prd.md")),
    ),
    (
        "museum",
        include_str!("../../fixtures/fresh/museum.md"),
        Some(include_str!("../../fixtures/fresh/museum-prd.md")),
    ),
];
