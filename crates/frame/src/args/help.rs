//! The examples and exit codes that stand at the end of a command's help, where they do not stand beside its arguments.

pub(super) const AFTER_HELP: &str = "\
First steps:
  redraft demo            run a whole feature offline in a throw-away repository
  redraft new \"an idea\"   begin a feature in this repository
  redraft run             continue it; run it again after any interruption

Each command has examples: redraft help COMMAND

Exit codes:
  0  done                      5    limit or budget reached
  1  not approved, or findings 6    waiting for a decision
  2  usage                     7    held by another process
  3  configuration, ledger,    70   a bug in redraft
     repository or disk        130  interrupted; the same command
  4  agent failure                  continues";

pub(super) const DEMO_HELP: &str = "\
Examples:
  redraft demo                           with the built-in idea; leaves nothing behind
  redraft demo \"Show the weather\"       with your own idea
  redraft demo --keep ./shop             keep the repository, so that you can look around in it

Exit codes: 0 approved, 2 the folder is not empty; the others as in `redraft help`";

pub(super) const INIT_HELP: &str = "\
Examples:
  redraft init                           an existing file is checked and not changed

If no agent has been chosen yet, it asks once on a terminal which agent plays the roles.

Exit codes: 0 written or already there, 2 not a repository, 3 the existing file has a mistake";

pub(super) const NEW_HELP: &str = "\
Examples:
  redraft new \"Let people export their orders as CSV\"
  redraft new \"Export orders\" --prd notes/export.md
  redraft new \"Rotate the signing keys\" --lane deep
  redraft new \"Export orders\" --until specify   only a specification
  redraft new \"Invoices\" --project P001 --depends-on 003-export-orders

The lane is express (a mini-spec; only the code is reviewed) when the idea names one or two files, deep (each phase \
also needs the approval of a reviewer who saw no earlier version) when it names something sensitive, otherwise \
standard; --lane overrides that.

Your own checkout is not touched: the feature gets a branch and a folder below .redraft/worktrees/. \
If something goes wrong after the feature was begun, the error says how to continue or abandon it.

Exit codes: 0 begun, 2 usage, 3 configuration, git or disk, 6 a command in redraft.toml must be accepted first \
(redraft trust), 7 another process is making a worktree, 130 interrupted";

pub(super) const DECIDE_HELP: &str = "\
Examples:
  redraft decide                         show the question
  redraft decide 002 accept --why \"good enough for a first version\"
  redraft decide 002 overrule --why \"R3 has the number\"   the finding its author declined does not hold
  redraft decide 002 uphold --why \"R3 is about errors\"    it holds, and the author must change the file
  redraft decide 002 answer --answer \"100 a minute\" --answer \"no\"
  redraft decide 002 assume              let the author continue with its own assumptions
  redraft decide 002 go                  allow code to be written
  redraft decide 002 approve --revision 4f2a91c       close a phase that [ask] wants you to look at
  redraft decide 002 comment --why \"use Postgres\"    have it changed instead, and be asked again
  redraft decide 002 retry               try again; if the rounds are used up, one more round
  redraft decide 002 rerun               a new pass with new conversations
  redraft decide 002 skip                continue without a task that could not be carried out
  redraft decide 002 abandon             abandon the feature, at any time before it is approved

Exit codes: 0 decided or nothing asked, 2 not a choice here, or not what you saw (--seen, --revision), 6 the question was shown, 7 another process is working \
on it";

pub(super) const STATUS_HELP: &str = "\
Examples:
  redraft status
  redraft status 002 --json
  redraft status --rebuild               restore deleted .meta.json and .review-history.md
  redraft status --verify                after a disk crash, or when in doubt

Exit codes: 0 shown or written, 2 no such feature, 3 the ledger is damaged or a record cannot be written";

pub(super) const REPORT_HELP: &str = "\
Examples:
  redraft report 002 -o 002.html         one page that needs no other files, for a mail or a pull request
  redraft report 002 > 002.html          the same
  redraft report 002 --json              what the page is made from
  redraft report --all -o reports        a folder: index.html, and a page for each feature
  redraft report --all -o features.html  only the index; it links to the pages that are beside it

A page has at most 400 KB and loads nothing. Where a feature is larger, the page says what was left out.
docs/report.md says what is in it.

Exit codes: 0 written, 2 no such feature or not a file of this command, 3 the ledger is damaged or the file cannot \
be written";

pub(super) const UI_HELP: &str = "\
Examples:
  redraft ui              opens the browser; the address is printed, too
  redraft ui --no-open    only prints the address, for a browser that you open yourself
  redraft ui --port 8123  always on the same port

It is served on 127.0.0.1 only, and only to the browser that opens the printed address, which works once. Nothing \
is loaded from elsewhere. A run does not notice it; ending it changes nothing. docs/ui.md says what it shows and how \
it is protected.

Exit codes: 0 ended by Ctrl-C, 2 not a repository, 3 the port cannot be used";

pub(super) const COST_HELP: &str = "\
Examples:
  redraft cost                           the only feature, or the one of this worktree; otherwise a line for each
  redraft cost 002 --all                 every dispatch, with predictions and alternatives
  redraft cost 002 --json
  redraft cost --why 002/specify.1/review/spec-reviewer/2.1
  redraft cost 002 --svg cost.svg        bars are bills, marks are estimates
  redraft cost correct 002 specify.1/review/spec-reviewer/1.1 --usd 0.12 --why \"the vendor's bill\"

docs/receipts.md explains every column. An --svg file is written completely or not at all. It replaces an older \
drawing of this command, and any other file only with --force.

Exit codes: 0 shown, 2 no such feature or dispatch, or the file was not written by this command, 3 the ledger is \
damaged or the file cannot be written";

pub(super) const CORRECT_HELP: &str = "\
Examples:
  redraft cost correct 002 specify.1/review/spec-reviewer/1.1 --usd 0.12 --why \"the vendor's bill says so\"
  redraft cost correct 002 002/specify.1/review/spec-reviewer/1.1 --usd 0 --why \"nothing was billed\" --json

Use it when a service reported a wrong cost, or when the cost was unknown and the highest possible amount is \
counted. The budget, receipts and estimates then use the new amount; the old amount, your name and the reason stay \
in the ledger.

Exit codes: 0 corrected, 2 no such dispatch, a dispatch that is not over, or not an amount, 3 the ledger is \
damaged, 7 another process is working on the feature";

pub(super) const LOG_HELP: &str = "\
Examples:
  redraft log                            everything, oldest first
  redraft log 002 -n 20                  the last 20 events of one feature
  redraft log --json                     with the body of every event
  redraft log 002 --as review-history    every review as a page; also implementation-log
  redraft log 002 --decisions            what was decided, and by whom
  redraft log 002 --decisions --export   the same as records in docs/decisions; --export=DIR for another folder

Exit codes: 0 shown, 2 no such feature, 3 the ledger is damaged";

pub(super) const SHOW_HELP: &str = "\
Examples:
  redraft show findings 002
  redraft show prompt 002 --role spec-reviewer
  redraft show tasks docs/features/002-limits
  redraft show schedule 002
  redraft show context docs/features/002-limits --task 1.2
  redraft show trace 002

Exit codes: 0 shown, 1 not found, 2 usage, 3 the ledger is damaged";

pub(super) const PROMPT_HELP: &str = "\
Examples:
  redraft show prompt                    the last one that was sent
  redraft show prompt 002 --role spec-reviewer
  redraft show prompt --ticket 002/specify.1/review/spec-reviewer/2.1 --json
  redraft show prompt --example task-reviewer --strategy inline
  redraft show prompt --example phase-reviewer --phase design --purpose validate --strategy resume
  redraft show prompt --example retro-facilitator --purpose judge
  redraft show prompt --example security-reviewer --by-itself
  redraft show prompt 002 --verify

Where a program worked on it (claude, codex), the first lines name the folder with all that it printed.

Exit codes: 0 shown or identical, 1 a rebuilt prompt differs, 2 nothing like that was sent";

pub(super) const FINDINGS_HELP: &str = "\
Examples:
  redraft show findings                  of the only feature, or the one of this worktree
  redraft show findings 002 --json

Exit codes: 0 shown, 2 no such feature";

pub(super) const TRUST_HELP: &str = "\
Examples:
  redraft trust                          see what this repository wants, then answer
  redraft trust --yes                    accept it without being asked
  redraft trust --list                   what you have accepted, in all repositories
  redraft trust --forget                 take it back
  redraft trust --ledger                 see what in the ledger your key did not sign, and go on from there

What you accept is stored by hash, in a file of yours outside the repository. If something changes, you must accept \
it again.

Exit codes: 0 accepted or nothing to accept, 3 configuration, 6 not accepted";

pub(super) const ADOPT_HELP: &str = "\
Examples:
  redraft adopt                          what was found; on a terminal, asks whether to take it over
  redraft adopt --dry-run --json         the same for a program, changing nothing
  redraft adopt --yes                    do it
  redraft adopt docs/features/031-limits --review --yes
  redraft adopt openspec/changes/archive

Each folder becomes a feature with its own number. Its documents are taken as they are, on your word; with \
--review, a run reviews each of them instead. Your own checkout is not touched.

Exit codes: 0 reported or adopted, 2 no such folder or usage, 3 configuration, ledger, git or disk, 7 another process \
is making a worktree, 130 interrupted; the same command continues";

pub(super) const PROJECT_HELP: &str = "\
Examples:
  redraft project                        every project with its milestones and features
  redraft project new \"Gateway\" --prd notes/gateway.md
  redraft new \"Rate limits\" --project P001 --depends-on 003

A project is docs/projects/P001-slug/ with prd.md and roadmap.md. The headings of the roadmap are milestones, and \
the features named below a milestone belong to it. Write and commit both files yourself.

Exit codes: 0 shown or begun, 2 usage, 3 git or disk, 7 another process is giving out a number";

pub(super) const PHASE_HELP: &str = "\
Examples:
  redraft phase skip 002 design --why \"one function, nothing to design\"
  redraft phase back 002 specify --why \"exports must be encrypted after all\"

Skipping and going back are stored with their reason. Going back cancels the approvals from that phase on. The \
documents stay; you can edit them before they are reviewed again.

Exit codes: 0 done, 2 not possible here, 7 another process is working on it";

pub(super) const LINT_HELP: &str = "\
Examples:
  redraft lint                           every folder under docs/features, and features in their worktrees
  redraft lint 031                       one feature
  redraft lint docs/features/031-export docs/notes.md
  redraft lint --sarif > lint.sarif      for code scanning
  redraft lint --trace 031               does a task reach every requirement and every file?
  redraft lint --plugin my-plugin        a plugin for Claude Code: manifest, agents, skills, hooks, prompts
  redraft lint --rules                   what is checked

A path does not need a repository. docs/lint.md explains each rule and how to change its level.

Exit codes: 0 nothing found, or only warnings, 1 errors, 2 no such path or feature, 3 configuration";

pub(super) const TASKS_HELP: &str = "\
Examples:
  redraft show tasks tasks.md                       ids, titles, when each task is done, what it depends on
  redraft show tasks docs/features/031-limits       the tasks.md in a folder
  redraft show tasks tasks.md --json                the same for a program

Needs no repository. Exit codes: 0 shown, 1 no task found, 2 the file cannot be read";

pub(super) const SCHEDULE_HELP: &str = "\
Examples:
  redraft show schedule 031                         the tasks of a feature that are not done
  redraft show schedule tasks.md --jobs 8           any list of tasks; needs no repository
  redraft show schedule docs/features/031-limits --json

Tasks run side by side if neither needs the other and their files do not overlap; docs/tasks.md says
which files a task declares. Times and costs are those of earlier tasks, without rehearsals.
Exit codes: 0 shown, 1 no task found, 2 no such feature or file, 3 the ledger is damaged";

pub(super) const SECTION_HELP: &str = "\
Examples:
  redraft show section design.md C9                 a heading, list item, table row or bold paragraph
  redraft show section plan.md \"Step 3\"            with the word before its number
  redraft show section plan.md 1A.1 --json          its lines; those of 1A if 1A.1 has no place of its own

Whole ids only: C1 is not in C10. Needs no repository.
Exit codes: 0 shown, 1 the id is not in the document, 2 no id, or the file cannot be read";

pub(super) const CONTEXT_HELP: &str = "\
Examples:
  redraft show context docs/features/031-limits --task 1.2
  redraft show context . --task T3 --json

The folder holds tasks.md and, if they exist, prd.md, spec.md, design.md and plan.md. Needs no repository.
Exit codes: 0 shown, 1 no task found, 2 no such task, or a file cannot be read";

pub(super) const TRACE_HELP: &str = "\
Examples:
  redraft show trace 002                            every requirement of a feature
  redraft show trace 002 FR-3                       only what is related to it; also a task, section, file or commit
  redraft show trace docs/features/002-limits       a folder of documents; needs no repository
  redraft show trace 002 --html -o trace.html       one page that needs no other files
  redraft show trace --markdown                     a table for a pull request

docs/trace.md explains the rows and what an orphan is. `redraft lint --trace` fails if there are orphans.
Exit codes: 0 shown, 1 nothing has this id, 2 no such feature or folder, 3 the ledger is damaged";

pub(super) const DOCTOR_HELP: &str = "\
Examples:
  redraft doctor                         this machine, and what is known about each agent
  redraft doctor --agent claude --yes    probe one that costs money, without asking
  redraft doctor --budget 0.50 --json
  redraft doctor --repair                what git has lost of your features, and how to continue

docs/doctor.md explains what a probe does, what its checks mean, and what a repair does.

Exit codes: 0 all well, 1 a check of a probe did not pass, 2 no such agent, 3 machine, configuration or ledger, 4 an \
agent failed, 5 the budget is too small, 6 waiting for a yes, 130 interrupted";

pub(super) const MODELS_HELP: &str = "\
Examples:
  redraft models                         every model with its price, and what each of your agents uses
  redraft models --json                  the same for a program, with every cache lifetime

Needs no repository. You can name a model in any spelling (`claude-sonnet-5.5`, `claude-sonnet-5-5`) or by a \
shorter word in the list, which means the newest one. To use another model or another price: docs/configuration.md.

Exit codes: 0 shown, 3 configuration";

pub(super) const REPLAY_HELP: &str = "\
Examples:
  redraft replay loops.jsonl.gz
  redraft replay loops.jsonl --prices claude-opus-5.5 --prices gpt-6-sol --ttl 1h
  redraft replay --ledger                the loops of this repository; --ledger 002 for one feature

No model is called, and files need no repository. docs/cost-model.md has the format and the formulas.

Exit codes: 0 shown, 1 no loop, 2 no such file, model or feature, or a line that cannot be read, 3 the ledger \
is damaged";

pub(super) const PHASE_SKIP_HELP: &str = "\
Examples:
  redraft phase skip 002 design --why \"one function, nothing to design\"
  redraft phase skip design --why \"nothing to design\"

Exit codes: 0 done, 2 not possible here, 7 another process is working on it";

pub(super) const PHASE_BACK_HELP: &str = "\
Examples:
  redraft phase back 002 specify --why \"exports must be encrypted after all\"

Exit codes: 0 done, 2 not possible here, 7 another process is working on it";

pub(super) const PROJECT_NEW_HELP: &str = "\
Examples:
  redraft project new \"Gateway\"
  redraft project new \"Gateway\" --prd notes/gateway.md

Exit codes: 0 begun, 2 usage, 3 git or disk, 7 another process is giving out a number";

pub(super) const PULL_REQUEST_HELP: &str = "\
Examples:
  redraft show pull-request 002
  redraft show pull-request 002 | gh pr create --body-file - --title \"Export orders\"

Exit codes: 0 shown, 2 no such feature, 3 the ledger is damaged";
