//! Reads recorded loops from files: one JSON object a line, plain or compressed with gzip, as a stream.
//!
//! A fault in a line is reported with its number, and the next line is read. Start at [`read`].

use flate2::bufread::MultiGzDecoder;
use redraft_cost::cost::replay::RecordedLoop;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// A longer line is skipped. Loops of real documents have less than a megabyte; together with what is made from a line
/// this keeps the program under 100 MB.
const LINE_BYTES_MAX: usize = 16 << 20;
/// A document with more lines is skipped: comparing takes some hundred bytes for each of them, however short it is.
/// Real documents have some thousand.
const DOCUMENT_LINES_MAX: usize = 100_000;
/// Real loops end after a handful of rounds; each is planned over, so an absurd number would take hours.
const VERSIONS_MAX: usize = 1_000;
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// What some editors put before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Hands every loop of a file to `take`, and every fault, with its line, to `fault`.
pub(super) fn read(
    path: &Path,
    take: &mut dyn FnMut(RecordedLoop),
    fault: &mut dyn FnMut(String),
) -> io::Result<()> {
    let mut file = BufReader::new(File::open(path)?);
    let packed = file.fill_buf()?.starts_with(&GZIP);
    let mut lines: Box<dyn BufRead> =
        if packed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) };
    let shown = path.to_string_lossy();
    let name = redraft_facts::harmless::name(&shown);
    let mut number: u64 = 0;
    loop {
        number += 1;
        let line = match next_line(&mut *lines) {
            Ok(Some(line)) => line,
            Ok(None) => return Ok(()),
            Err(error) => {
                fault(format!("{name}:{number}: cannot be read further: {error}"));
                return Ok(());
            }
        };
        match line {
            Line::TooLong(bytes) => {
                fault(format!("{name}:{number}: {bytes} bytes are more than {LINE_BYTES_MAX}, skipped"));
            }
            Line::Whole(mut bytes) => {
                if number == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
                    bytes.drain(..BYTE_ORDER_MARK.len());
                }
                if bytes.trim_ascii().is_empty() {
                    continue;
                }
                let recorded = recorded(&bytes);
                // What is made from the line is enough to keep in memory while it is compared.
                drop(bytes);
                match recorded {
                    Ok(recorded) => take(recorded),
                    Err(why) => fault(format!("{name}:{number}: {why}, skipped")),
                }
            }
        }
    }
}

enum Line {
    Whole(Vec<u8>),
    TooLong(usize),
}

/// The next line without its break; none at the end. Nothing is kept of a line that is too long.
fn next_line(lines: &mut dyn BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let most = LINE_BYTES_MAX as u64 + 1;
    lines.take(most).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(Some(Line::Whole(line)));
    }
    if line.len() <= LINE_BYTES_MAX {
        return Ok((!line.is_empty()).then_some(Line::Whole(line)));
    }
    let mut bytes = line.len();
    drop(line);
    loop {
        let found = lines.fill_buf()?;
        let end = found.iter().position(|byte| *byte == b'\n');
        let passed = end.unwrap_or(found.len());
        bytes += passed;
        let done = end.is_some() || found.is_empty();
        lines.consume(passed + usize::from(end.is_some()));
        if done {
            return Ok(Some(Line::TooLong(bytes)));
        }
    }
}

#[derive(Deserialize)]
struct Stored {
    #[serde(default)]
    r#loop: String,
    #[serde(default)]
    artifact: String,
    #[serde(default)]
    upstream: BTreeMap<String, String>,
    versions: Vec<String>,
    times: Vec<i64>,
}

fn recorded(line: &[u8]) -> Result<RecordedLoop, String> {
    if line.trim_ascii_start().first() != Some(&b'{') {
        return Err("not a loop: it is not a JSON object".to_owned());
    }
    let stored: Stored = serde_json::from_slice(line).map_err(|error| {
        // It counts the lines of what it was given, which is one.
        format!("not a loop: {}", error.to_string().replace(" at line 1 column ", " at column "))
    })?;
    let texts = stored.upstream.values().chain(&stored.versions);
    let lines = texts.map(|text| text.bytes().filter(|byte| *byte == b'\n').count()).max().unwrap_or(0);
    if lines > DOCUMENT_LINES_MAX {
        return Err(format!("a document of {lines} lines is more than {DOCUMENT_LINES_MAX}"));
    }
    if stored.versions.is_empty() {
        return Err("it has no versions".to_owned());
    }
    if stored.versions.len() > VERSIONS_MAX {
        return Err(format!("{} versions are more than {VERSIONS_MAX}", stored.versions.len()));
    }
    if let Some(at) = stored.versions.iter().position(|version| version.trim().is_empty()) {
        return Err(format!("version {} is empty", at + 1));
    }
    if stored.versions.len() != stored.times.len() {
        let (versions, times) = (stored.versions.len(), stored.times.len());
        return Err(format!("it has {versions} versions and {times} times"));
    }
    if let Some(at) = stored.times.windows(2).position(|pair| pair[1] < pair[0]) {
        return Err(format!("time {} is before the one it follows", at + 2));
    }
    let times: Result<Vec<u64>, _> = stored.times.iter().map(|time| u64::try_from(*time)).collect();
    let times = times.map_err(|_| "a time is negative".to_owned())?;
    Ok(RecordedLoop {
        name: stored.r#loop,
        artifact: stored.artifact,
        upstream: stored.upstream.into_values().collect(),
        versions: stored.versions,
        times,
        validations: Vec::new(),
    })
}
