//! The page that describes the API, from its OpenAPI document.

use std::fmt::Write as _;

use chassis::ErrorCode;
use serde_json::Value;

use super::{
    html::{self, escape, inline, prose},
    problems::meaning,
};

const METHODS: [&str; 4] = ["get", "post", "patch", "delete"];

/// One method of one path.
struct Operation<'a> {
    method: &'static str,
    path: &'a str,
    value: &'a Value,
}

impl Operation<'_> {
    fn anchor(&self) -> String {
        let path = self.path.replace(['/', '{', '}'], "-");
        format!("{}{}", self.method, path.trim_end_matches('-'))
    }
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut operations = Vec::new();
    for (path, item) in members(&document["paths"]) {
        for method in METHODS {
            let value = &item[method];
            if value.is_object() {
                operations.push(Operation {
                    method,
                    path,
                    value,
                });
            }
        }
    }
    operations
}

/// The whole page.
pub(super) fn render(document: &Value) -> String {
    let operations = operations(document);
    let mut nav = String::new();
    let mut main = String::new();
    let info = &document["info"];
    let _ = write!(
        main,
        "<h1>{}</h1>{}<p>For programs: <a href=\"/v1/openapi.json\">openapi.json</a>.</p>",
        escape(text(info, "title")),
        prose(text(info, "description"))
    );
    for tag in items(&document["tags"]) {
        let name = text(tag, "name");
        let _ = write!(nav, "<h2>{}</h2><ul>", escape(name));
        let _ = write!(
            main,
            "<section><h2>{}</h2>{}",
            escape(name),
            prose(text(tag, "description"))
        );
        for operation in &operations {
            if !items(&operation.value["tags"]).any(|tagged| tagged == name) {
                continue;
            }
            let _ = write!(
                nav,
                "<li><a href=\"#{}\">{}</a></li>",
                escape(&operation.anchor()),
                escape(text(operation.value, "summary"))
            );
            describe(&mut main, operation);
        }
        nav.push_str("</ul>");
        main.push_str("</section>");
    }
    schemas(&mut main, document);
    errors(&mut main);
    nav.push_str(
        "<h2>more</h2><ul><li><a href=\"#shapes\">Shapes</a></li>\
         <li><a href=\"#errors\">Errors</a></li><li><a href=\"/\">Play</a></li></ul>",
    );
    html::page(
        "en",
        "Spatz: the API",
        &format!("<nav>{nav}</nav><main>{main}</main>"),
    )
}

fn describe(out: &mut String, operation: &Operation<'_>) {
    let value = operation.value;
    let open = items(&value["security"]).any(|need| need.as_object().is_some_and(|n| n.is_empty()));
    let _ = write!(
        out,
        "<article id=\"{}\"><h3>{}</h3><p class=\"call\"><b>{}</b> <code>{}</code>{}</p>{}",
        escape(&operation.anchor()),
        escape(text(value, "summary")),
        operation.method.to_uppercase(),
        escape(operation.path),
        if open { " <i>no token needed</i>" } else { "" },
        prose(text(value, "description"))
    );
    if items(&value["parameters"]).next().is_some() {
        out.push_str("<table>");
        for parameter in items(&value["parameters"]) {
            let _ = write!(
                out,
                "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escape(text(parameter, "name")),
                escape(text(parameter, "in")),
                kind(&parameter["schema"]),
                inline(text(parameter, "description"))
            );
        }
        out.push_str("</table>");
    }
    for (_, content) in members(&value["requestBody"]["content"]) {
        let _ = write!(out, "<p>Send {}</p>", kind(&content["schema"]));
    }
    out.push_str("<ul>");
    for (status, response) in members(&value["responses"]).filter(|(s, _)| *s != "default") {
        let _ = write!(
            out,
            "<li><b>{}</b> {}",
            escape(status),
            inline(text(response, "description"))
        );
        for (_, content) in members(&response["content"]) {
            let _ = write!(out, ": {}", kind(&content["schema"]));
        }
        out.push_str("</li>");
    }
    out.push_str("</ul></article>");
}

fn schemas(out: &mut String, document: &Value) {
    out.push_str("<section id=\"shapes\"><h2>Shapes</h2>");
    for (name, schema) in members(&document["components"]["schemas"]) {
        let name = escape(name);
        let _ = write!(
            out,
            "<article id=\"shape-{name}\"><h3>{name}</h3>{}",
            prose(text(schema, "description"))
        );
        shape(out, schema);
        out.push_str("</article>");
    }
    out.push_str("</section>");
}

/// The members or variants of a schema.
fn shape(out: &mut String, schema: &Value) {
    for part in items(&schema["allOf"]) {
        shape(out, part);
    }
    let variants: Vec<&Value> = items(&schema["oneOf"]).collect();
    if !variants.is_empty() {
        out.push_str("<p>One of:</p>");
        for variant in variants {
            let _ = write!(
                out,
                "<div class=\"variant\">{}",
                prose(text(variant, "description"))
            );
            shape(out, variant);
            out.push_str("</div>");
        }
        return;
    }
    if schema["properties"].is_object() {
        out.push_str("<table>");
        for (name, member) in members(&schema["properties"]) {
            let required = items(&schema["required"]).any(|listed| listed == name);
            let _ = write!(
                out,
                "<tr><td><code>{}</code>{}</td><td>{}</td><td>{}</td></tr>",
                escape(name),
                if required { "" } else { "?" },
                kind(member),
                inline(text(member, "description"))
            );
        }
        out.push_str("</table>");
    } else if !schema["allOf"].is_array() {
        let _ = write!(out, "<p>{}</p>", kind(schema));
    }
}

/// What a value is, in a few words.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = escape(reference.rsplit('/').next().unwrap_or_default());
        return format!("<a href=\"#shape-{name}\">{name}</a>");
    }
    let choices: Vec<String> = items(&schema["enum"])
        .map(|v| escape(&v.to_string()))
        .collect();
    if !choices.is_empty() {
        return choices.join(" | ");
    }
    for joined in ["oneOf", "anyOf", "allOf"] {
        let kinds: Vec<String> = items(&schema[joined]).map(kind).collect();
        if !kinds.is_empty() {
            return kinds.join(" | ");
        }
    }
    let types = match &schema["type"] {
        Value::Array(types) => types
            .iter()
            .map(|t| t.as_str().unwrap_or_default())
            .collect(),
        single => vec![single.as_str().unwrap_or("anything")],
    };
    let named = types.iter().map(|&name| match name {
        "array" => format!("list of {}", kind(&schema["items"])),
        "object" if schema["additionalProperties"].is_object() => {
            format!("map of {}", kind(&schema["additionalProperties"]))
        }
        "string" if schema["format"].is_string() => escape(text(schema, "format")),
        name => escape(name),
    });
    named.collect::<Vec<_>>().join(" | ")
}

fn errors(out: &mut String) {
    out.push_str(
        "<section id=\"errors\"><h2>Errors</h2><p>Every error is a \
         <a href=\"#shape-Problem\">Problem</a>. Decide by its <code>code</code>.</p><table>",
    );
    for &code in ErrorCode::ALL {
        let name = code.as_str();
        let _ = write!(
            out,
            "<tr><td><a href=\"/problems/{name}\"><code>{name}</code></a></td><td>{}</td>\
             <td>{}</td></tr>",
            code.http_status(),
            inline(meaning(code))
        );
    }
    out.push_str("</table></section>");
}

/// The page of one error code.
pub(super) fn problem(code: ErrorCode, meaning: &str) -> String {
    let title = code.title();
    let body = format!(
        "<main><h1>{}</h1><p class=\"call\"><b>{}</b> <code>{}</code></p>{}\
         <p><a href=\"/docs#errors\">All errors</a></p></main>",
        escape(&title),
        code.http_status(),
        code.as_str(),
        prose(meaning)
    );
    html::page("en", &format!("{title} · Spatz"), &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_every_operation_shape_and_code_and_links_nowhere_else() {
        let document: Value = serde_json::from_str(&crate::openapi_json()).unwrap();
        let page = render(&document);
        for operation in operations(&document) {
            assert!(
                page.contains(&format!("id=\"{}\"", operation.anchor())),
                "{}",
                operation.path
            );
        }
        for (name, _) in members(&document["components"]["schemas"]) {
            assert!(page.contains(&format!("id=\"shape-{name}\"")), "{name}");
        }
        for code in ErrorCode::ALL {
            assert!(page.contains(&format!("/problems/{}", code.as_str())));
        }
        assert!(!page.contains("<script") && !page.contains("style=") && !page.contains("//"));
        // Every link on the page leads somewhere on it.
        for link in page.split("href=\"#").skip(1) {
            let anchor = link.split('"').next().unwrap();
            assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
        }
    }
}
