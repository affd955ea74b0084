//! The tables and numbers of a page of Markdown.

use std::{collections::BTreeMap, fs, path::PathBuf};

/// Columns that only people read.
const PROSE: [&str; 4] = ["Name", "Meaning", "Why", "Where"];

/// A row by its column headings.
pub(crate) type Row = BTreeMap<String, String>;

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules")
}

pub(crate) fn read(page: &str) -> String {
    fs::read_to_string(folder().join(page)).expect(page)
}

/// The cells of each table but the glossary, headings first.
pub(crate) fn tables(page: &str) -> Vec<Vec<Vec<String>>> {
    let cells = |line: &&str| -> Vec<String> {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    let text = read(page);
    let lines: Vec<&str> = text.lines().collect();
    lines
        .split(|line| !line.starts_with('|'))
        .filter(|block| block.len() > 2 && !block[0].contains("English |"))
        .map(|block| {
            block
                .iter()
                .map(cells)
                .filter(|row| row[0] != "---")
                .collect()
        })
        .collect()
}

/// The rows of the table of an English page whose first column has this heading.
pub(crate) fn rows(page: &str, key: &str) -> Vec<Row> {
    let tables = tables(&format!("en/{page}.md"));
    let table = tables.into_iter().find(|table| table[0][0] == key);
    let table = table.unwrap_or_else(|| panic!("{page} has no table {key}"));
    let named = |row: &Vec<String>| table[0].iter().cloned().zip(row.iter().cloned()).collect();
    table[1..].iter().map(named).collect()
}

/// A column of some rows.
pub(crate) fn column(rows: &[Row], heading: &str) -> Vec<String> {
    rows.iter().map(|row| row[heading].clone()).collect()
}

/// The text between backticks.
pub(crate) fn code(cell: &str) -> &str {
    let code = cell
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'));
    code.expect(cell)
}

/// For each section of a page: the numbers in its text and tables, sorted.
fn numbers(page: &str) -> Vec<Vec<String>> {
    let sorted = |section: &str| {
        let mut numbers = tokens(section, |c| c.is_ascii_digit());
        numbers.sort();
        numbers
    };
    read(page).split("\n## ").map(sorted).collect()
}

fn tokens(text: &str, belongs: impl Fn(char) -> bool) -> Vec<String> {
    let tokens = text
        .split(|c| !belongs(c))
        .filter(|token| !token.is_empty());
    tokens.map(str::to_owned).collect()
}

/// A German page has the tables of the English one, with the same numbers, signs and names, the
/// same words wherever the English one has the same, and the same numbers in each section.
pub(crate) fn assert_same(page: &str, words: &mut BTreeMap<String, String>) {
    let (english, german) = (format!("en/{page}.md"), format!("de/{page}.md"));
    assert_eq!(numbers(&english), numbers(&german), "{page}");
    let exact = |cell: &str| {
        let names = cell.split('`').skip(1).step_by(2).map(str::to_owned);
        let numbers = tokens(cell, |c| c.is_ascii_digit() || "+−×/()".contains(c));
        names.chain(numbers).collect::<Vec<_>>()
    };
    let (english, german) = (tables(&english), tables(&german));
    assert_eq!(english.len(), german.len(), "tables of {page}");
    for (english, german) in english.iter().zip(&german) {
        assert_eq!(english.len(), german.len(), "{page}: {:?}", english[0]);
        let checked = english[0]
            .iter()
            .map(|heading| !PROSE.contains(&heading.as_str()));
        let checked: Vec<bool> = checked.collect();
        for (english, german) in english.iter().zip(german) {
            assert_eq!(english.len(), checked.len(), "{page}: {english:?}");
            assert_eq!(german.len(), checked.len(), "{page}: {german:?}");
            for ((english, german), _) in english.iter().zip(german).zip(&checked).filter(|c| *c.1)
            {
                assert_eq!(exact(english), exact(german), "{page}: {german}");
                let known = words.entry(german.clone()).or_insert(english.clone());
                assert_eq!(known, english, "{page}: {german}");
            }
        }
    }
}

/// The value of a number with a sign, or of a reckoning such as `2 × (58 − 70) + 10`.
pub(crate) fn reckon(text: &str) -> i32 {
    let text = text.trim();
    let outside = |operators: &str| {
        let mut depth = 0;
        let mut place = None;
        for (at, c) in text.char_indices() {
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth == 0 && operators.contains(c) {
                place = Some((&text[..at], c, &text[at + c.len_utf8()..]));
            }
        }
        place
    };
    match outside("+−").or_else(|| outside("×")) {
        Some(("", '+', right)) => reckon(right),
        Some(("", _, right)) => -reckon(right),
        Some((left, '+', right)) => reckon(left) + reckon(right),
        Some((left, '−', right)) => reckon(left) - reckon(right),
        Some((left, _, right)) => reckon(left) * reckon(right),
        None => match text.strip_prefix('(') {
            Some(inner) => reckon(inner.strip_suffix(')').expect(text)),
            None => text.parse().expect(text),
        },
    }
}

/// The numbers of a cell between slashes.
pub(crate) fn list(cell: &str) -> Vec<i32> {
    cell.split(" / ").map(reckon).collect()
}
