//! The tables and numbers of a page of Markdown.

use std::{collections::BTreeMap, fs, path::PathBuf};

/// A row by its column headings; names without backticks, numbers as Rust writes them.
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
    let blocks = lines.split(|line| !line.starts_with('|'));
    let blocks = blocks.filter(|block| block.len() > 2 && !block[0].contains("English |"));
    let rows = |block: &[&str]| {
        block
            .iter()
            .map(cells)
            .filter(|row| row[0] != "---")
            .collect()
    };
    blocks.map(rows).collect()
}

/// The rows of the table of an English page, or of the index, whose first column has this heading.
pub(crate) fn rows(page: &str, key: &str) -> Vec<Row> {
    let plain = |cell: &String| {
        let cell = cell.replace('`', "").replace('−', "-");
        let word = |word: &str| {
            word.strip_prefix('+')
                .filter(|n| !n.is_empty())
                .map(str::to_owned)
        };
        let words = cell
            .split(' ')
            .map(|text| word(text).unwrap_or(text.to_owned()));
        words.collect::<Vec<_>>().join(" ")
    };
    let page = match page {
        "README" => "README.md",
        game => &format!("en/{game}.md"),
    };
    let table = tables(page).into_iter().find(|table| table[0][0] == key);
    let table = table.unwrap_or_else(|| panic!("{page} has no table {key}"));
    let named = |row: &Vec<String>| {
        table[0]
            .iter()
            .cloned()
            .zip(row.iter().map(plain))
            .collect()
    };
    table[1..].iter().map(named).collect()
}

fn tokens(text: &str, belongs: impl Fn(char) -> bool) -> Vec<&str> {
    let tokens = text.split(|c| !belongs(c));
    tokens.filter(|token| !token.is_empty()).collect()
}

/// The German page has the tables of the English one: with the same numbers, signs and names,
/// and with one word wherever the English one has one. Its sections have the same numbers.
pub(crate) fn assert_same(page: &str, words: &mut BTreeMap<String, String>) {
    let pages = ["en", "de"].map(|language| format!("{language}/{page}.md"));
    let [english, german] = pages.each_ref().map(|page| {
        let text = read(page);
        let sections = text.split("\n## ").map(|section| {
            let mut numbers = tokens(section, |c| c.is_ascii_digit());
            numbers.sort_unstable();
            numbers.join(" ")
        });
        sections.collect::<Vec<_>>()
    });
    assert_eq!(english, german, "numbers in the sections of {page}");
    let exact = |cell: &str| {
        let names = cell.split('`').skip(1).step_by(2);
        let numbers = tokens(cell, |c| c.is_ascii_digit() || "+−×/".contains(c));
        format!("{:?} {numbers:?}", names.collect::<Vec<_>>())
    };
    let [english, german] = pages.each_ref().map(|page| tables(page));
    assert_eq!(english.len(), german.len(), "tables of {page}");
    for (here, there) in english.iter().zip(&german) {
        assert_eq!(here.len(), there.len(), "{page}: rows of {}", there[0][0]);
        for (here_row, there_row) in here.iter().zip(there) {
            let lengths = [here_row, there_row].map(Vec::len);
            assert_eq!(lengths, [here[0].len(); 2], "{page}: {there_row:?}");
            for ((here, there), heading) in here_row.iter().zip(there_row).zip(&here[0]) {
                assert_eq!(exact(here), exact(there), "{page}: {there_row:?}");
                if !["Name", "Meaning", "Why", "Where"].contains(&heading.as_str()) {
                    let known = words.entry(there.clone()).or_insert(here.clone());
                    assert_eq!(known, here, "{page}: {there_row:?}");
                }
            }
        }
    }
}

/// The value of a reckoning such as `2 × (58 - 70) + 10`.
pub(crate) fn reckon(text: &str) -> i32 {
    let text = text.trim();
    let outside = |operators: &str| {
        let (mut depth, mut place) = (0, None);
        for (at, c) in text.char_indices() {
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth == 0 && operators.contains(c) {
                place = Some((&text[..at], c, &text[at + c.len_utf8()..]));
            }
        }
        place
    };
    match outside("+-").or_else(|| outside("×")) {
        Some(("", _, right)) => -reckon(right),
        Some((left, '+', right)) => reckon(left) + reckon(right),
        Some((left, '-', right)) => reckon(left) - reckon(right),
        Some((left, _, right)) => reckon(left) * reckon(right),
        None => match text.strip_prefix('(') {
            Some(inner) => reckon(inner.strip_suffix(')').expect(text)),
            None => text.parse().expect(text),
        },
    }
}
