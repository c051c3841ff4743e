use super::super::tests::repositories::TestRepository;
use super::*;

fn reader(bed: &TestRepository) -> Result<LastingGit, GitError> {
    LastingGit::start(bed.git.call(&bed.root, ["cat-file", "--batch-check"]), &bed.root.join("scratch"))
}

fn ask(slot: &Slot, bed: &TestRepository, name: &str) -> Result<String, GitError> {
    slot.ask(
        || reader(bed),
        |companion| {
            companion.say(format!("{name}\n").as_bytes())?;
            Ok(String::from_utf8_lossy(&companion.line()?).into_owned())
        },
    )
}

fn process(slot: &Slot) -> u32 {
    slot.0.lock().unwrap().as_ref().unwrap().child.id()
}

#[test]
fn one_process_answers_every_question_and_is_replaced_when_it_died() {
    let (bed, slot) = (TestRepository::new(), Slot::default());
    let head = format!("{} commit ", bed.raw(&bed.root, &["rev-parse", "HEAD"]));
    assert!(ask(&slot, &bed, "HEAD").unwrap().starts_with(&head));
    let first = process(&slot);
    assert_eq!(ask(&slot, &bed, "nothing").unwrap(), "nothing missing");
    assert_eq!(process(&slot), first);
    slot.0.lock().unwrap().as_mut().unwrap().child.kill().unwrap();
    assert!(ask(&slot, &bed, "HEAD").unwrap().starts_with(&head));
    assert_ne!(process(&slot), first);
    slot.renew();
    assert!(slot.0.lock().unwrap().is_none());
}

#[test]
fn a_companion_that_cannot_answer_says_why_and_leaves_no_file() {
    let (bed, slot) = (TestRepository::new(), Slot::default());
    let call = || bed.git.call(&bed.root, ["cat-file", "--batch-check", "--no-such-option"]);
    let start = || LastingGit::start(call(), &bed.root.join("scratch"));
    let error = slot.ask(start, LastingGit::line).unwrap_err();
    assert!(error.stderr().contains("no-such-option"), "{error}");
    assert_eq!(fs::read_dir(bed.root.join("scratch")).unwrap().count(), 0);
}

#[test]
fn a_companion_ends_when_its_input_is_closed() {
    let bed = TestRepository::new();
    let call = bed.git.call(&bed.root, ["cat-file", "--batch-check"]);
    let mut running = call.start(Stdio::null()).unwrap();
    drop(running.child.stdin.take());
    assert!(running.child.wait().unwrap().success());
}
