//! Makes what is part of the program, in debug builds too: the list of the web client's files for
//! `src/web.rs`, and the rules of the games, rendered from Markdown, for `src/docs/rules.rs`.

use std::{
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

const LANGUAGES: [&str; 2] = ["en", "de"];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo:rerun-if-changed=web");
    fs::write(out.join("web_files.rs"), web_files(&root.join("web"))?)?;
    println!("cargo:rerun-if-changed=../../docs/rules");
    let pages = rules_pages(&root.join("../../docs/rules"))?;
    fs::write(out.join("rules_pages.rs"), pages)?;
    Ok(())
}

fn web_files(root: &Path) -> Result<String, Box<dyn Error>> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in files {
        let name = file
            .strip_prefix(root)?
            .to_str()
            .ok_or("a file name is not UTF-8")?;
        let path = file.to_str().ok_or("the folder's name is not UTF-8")?;
        writeln!(table, "    ({name:?}, include_bytes!({path:?})),")?;
    }
    table.push_str("]\n");
    Ok(table)
}

/// Every file below `folder`, without hidden ones.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The overview without a language, then each page of each language.
fn rules_pages(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut table = String::from("&[\n");
    let overview = fs::read_to_string(folder.join("README.md"))?;
    table.push_str(&page("", "", &overview));
    for language in LANGUAGES {
        let mut files = Vec::new();
        collect(&folder.join(language), &mut files)?;
        files.retain(|file| file.extension().is_some_and(|end| end == "md"));
        files.sort();
        for file in files {
            let id = file.file_stem().and_then(|name| name.to_str());
            let id = id.ok_or("a file name is not UTF-8")?;
            table.push_str(&page(language, id, &fs::read_to_string(&file)?));
        }
    }
    table.push_str("]\n");
    Ok(table)
}

/// A page as a Rust expression.
fn page(language: &str, id: &str, markdown: &str) -> String {
    let events: Vec<_> = Parser::new_ext(markdown, Options::ENABLE_TABLES).collect();
    let title = title(&events);
    let events = without_navigation(events);
    let mut body = String::new();
    html::push_html(
        &mut body,
        events.into_iter().flat_map(|event| fit(event, language)),
    );
    format!(
        "    Page {{ language: {language:?}, id: {id:?}, title: {title:?}, body: {body:?} }},\n"
    )
}

/// The text of the first heading.
fn title(events: &[Event<'_>]) -> String {
    events
        .iter()
        .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) => Some(&**text),
            _ => None,
        })
        .collect()
}

/// Without the line of links below the title: it is for readers of the repository, and the
/// server's pages have a navigation of their own.
fn without_navigation(mut events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let heading = Event::End(TagEnd::Heading(HeadingLevel::H1));
    let Some(start) = events.iter().position(|event| *event == heading) else {
        return events;
    };
    let line = &events[start + 1..];
    let is_navigation = matches!(
        line,
        [
            Event::Start(Tag::Paragraph),
            Event::Start(Tag::Link { .. }),
            ..
        ]
    );
    let end = Event::End(TagEnd::Paragraph);
    if let (true, Some(length)) = (is_navigation, line.iter().position(|event| *event == end)) {
        events.drain(start + 1..=start + 1 + length);
    }
    events
}

/// Links lead to pages of the server; wide tables scroll; and cells have no style of their own,
/// which the pages' policy forbids.
fn fit<'a>(event: Event<'a>, language: &str) -> Vec<Event<'a>> {
    match event {
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => {
            let dest_url = CowStr::from(address(&dest_url, language));
            vec![Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            })]
        }
        Event::Start(Tag::Table(columns)) => vec![
            Event::Html("<div class=\"wide\">".into()),
            Event::Start(Tag::Table(vec![
                pulldown_cmark::Alignment::None;
                columns.len()
            ])),
        ],
        Event::End(TagEnd::Table) => {
            vec![Event::End(TagEnd::Table), Event::Html("</div>".into())]
        }
        other => vec![other],
    }
}

/// Where a link between two Markdown files leads on the server.
fn address(link: &str, language: &str) -> String {
    let Some(path) = link.strip_suffix(".md") else {
        return link.to_owned();
    };
    let mut parts = vec!["", "rules"];
    parts.extend((!language.is_empty()).then_some(language));
    for part in path.split('/') {
        match part {
            "." | "README" => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}
