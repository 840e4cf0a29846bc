//! Error pages as HTML for browsers: headings, lists, paragraphs and inline code, which is all that the pages use.

/// The page of an address that does not exist.
pub(super) fn unknown_path() -> String {
    let ways = "<a href=\"/\">the chat</a> or <a href=\"/docs\">the documentation of the API</a>";
    document(
        "Page not found",
        &format!("<h1>Page not found</h1>\n<p>This hub has nothing at this address. Open {ways}.</p>\n"),
    )
}

/// Renders the Markdown of an error page. Everything that is not one of its few forms stays text.
pub(super) fn render(markdown: &str) -> String {
    let title = markdown.lines().next().unwrap_or_default().trim_start_matches("# ");
    let body: String =
        markdown.split("\n\n").map(str::trim).filter(|block| !block.is_empty()).map(render_block).collect();
    document(title, &body)
}

fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{} · Parlour</title>\n</head>\n\
         <body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        escape(title)
    )
}

fn render_block(block: &str) -> String {
    if let Some(heading) = block.strip_prefix("# ") {
        return format!("<h1>{}</h1>\n", render_inline(heading));
    }
    if let Some(heading) = block.strip_prefix("## ") {
        return format!("<h2>{}</h2>\n", render_inline(heading));
    }
    if block.lines().all(|line| line.starts_with("- ")) {
        let items = block.lines().map(|line| format!("<li>{}</li>\n", render_inline(&line[2..])));
        return format!("<ul>\n{}</ul>\n", items.collect::<String>());
    }
    format!("<p>{}</p>\n", render_inline(block))
}

/// Every second part between backticks is code.
fn render_inline(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(|(number, part)| if number % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) })
        .collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_a_title_headings_lists_and_code() {
        let html =
            render("# PARLOUR-C02: Taken\n\n- Status: 409\n- Repeat: no\n\n## What to do\n\nSend `Bearer <token>`.\n");
        for part in [
            "<html lang=\"en\">",
            "<title>PARLOUR-C02: Taken · Parlour</title>",
            "<h1>PARLOUR-C02: Taken</h1>",
            "<ul>\n<li>Status: 409</li>\n<li>Repeat: no</li>\n</ul>",
            "<h2>What to do</h2>",
            "<p>Send <code>Bearer &lt;token&gt;</code>.</p>",
        ] {
            assert!(html.contains(part), "{part} is missing in:\n{html}");
        }
    }
}
