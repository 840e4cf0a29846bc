//! One page for each code, made from the core's table.

use parlour_core::{Code, RefusalClass};

use crate::denied::status_of;

/// All pages: the file name and the Markdown, in the order of the table.
pub fn error_pages() -> Vec<(String, String)> {
    Code::ALL.iter().map(|code| (format!("{}.md", code.as_str()), page(*code))).collect()
}

/// The page of the code with this text.
pub(crate) fn page_of(text: &str) -> Option<String> {
    Code::ALL.iter().find(|code| code.as_str() == text).map(|code| page(*code))
}

fn page(code: Code) -> String {
    let status = status_of(code.class());
    let reason = status.canonical_reason().unwrap_or_default();
    let retry = match (code.is_retryable(), code.class()) {
        (true, RefusalClass::Unavailable) => "yes, after the time in `Retry-After`",
        (true, _) => "yes",
        (false, _) => "no: the same request gets the same answer",
    };
    format!(
        "# {code}: {title}\n\n- Status: {number} {reason}\n- Worth repeating unchanged: {retry}\n\n## What to do\n\n{remedy}\n",
        code = code.as_str(),
        title = code.title(),
        number = status.as_u16(),
        remedy = code.remedy(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_with_its_title_and_remedy() {
        let pages = error_pages();
        assert_eq!(pages.len(), Code::ALL.len());
        for (code, (file, text)) in Code::ALL.iter().zip(pages) {
            assert_eq!(file, format!("{}.md", code.as_str()));
            assert!(text.contains(code.title()) && text.contains(code.remedy()), "{text}");
        }
    }

    #[test]
    fn a_page_is_short_and_complete() {
        insta::assert_snapshot!(page(Code::StoreUnavailable), @r"
        # PARLOUR-S01: The hub cannot store anything at the moment

        - Status: 503 Service Unavailable
        - Worth repeating unchanged: yes, after the time in `Retry-After`

        ## What to do

        Nothing was written. Try again with the same id; `GET /health` and the hub's log name the cause, most often a full disk.
        ");
    }

    #[test]
    fn unknown_codes_have_no_page() {
        assert_eq!(page_of("PARLOUR-X99"), None);
        assert_eq!(page_of("../etc/passwd"), None);
    }
}
