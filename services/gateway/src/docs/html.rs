//! Writing HTML: everything is escaped unless it was made here.

use std::fmt::Write as _;

/// Text as part of a page.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// Text with `code` between back-ticks, and paragraphs between empty lines.
pub(super) fn prose(text: &str) -> String {
    let mut out = String::new();
    for paragraph in text
        .split("\n\n")
        .filter(|paragraph| !paragraph.trim().is_empty())
    {
        let _ = write!(out, "<p>{}</p>", inline(paragraph));
    }
    out
}

/// Text with `code` between back-ticks.
pub(super) fn inline(text: &str) -> String {
    let mut out = String::new();
    for (i, part) in text.split('`').enumerate() {
        let part = escape(part);
        if i % 2 == 1 {
            let _ = write!(out, "<code>{part}</code>");
        } else {
            out.push_str(&part);
        }
    }
    out
}

/// A whole page, in the language of that code.
pub(super) fn page(language: &str, title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n\
         <link rel=\"icon\" href=\"/web/art/sparrow.svg\" type=\"image/svg+xml\">\n\
         <link rel=\"stylesheet\" href=\"/docs/style.css\">\n\
         </head>\n<body>\n{body}\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_code_marked() {
        assert_eq!(
            escape("<a href='x'>&\"</a>"),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;"
        );
        assert_eq!(
            inline("see `<b>` & more"),
            "see <code>&lt;b&gt;</code> &amp; more"
        );
        assert_eq!(prose("a\n\nb"), "<p>a</p><p>b</p>");
    }
}
