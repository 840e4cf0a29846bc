//! Notices of the moment: what a model is to know for one run only. They are never rows and never messages; context
//! that is to last is a message of the kind `system`.

/// The system prompt with the notices after it, as pynchy gave them at first.
pub fn system_prompt_with_notices(system: &str, notices: &[String]) -> String {
    let parts = [system].into_iter().chain(notices.iter().map(String::as_str));
    let told: Vec<&str> = parts.map(str::trim_end).filter(|part| !part.trim().is_empty()).collect();
    told.join("\n\n")
}

/// The notices as lines to stand before the prompt. The system prompt stays the same from run to run, so that a provider
/// need not read it anew.
pub fn notice_lines(notices: &[String]) -> String {
    let told = notices.iter().map(|notice| notice.trim()).filter(|notice| !notice.is_empty());
    // One line each: a notice that quotes something of several lines stays one notice.
    let line = |notice: &str| {
        let words: Vec<&str> = notice.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        format!("[System Notice] {}\n", words.join(" "))
    };
    told.map(line).collect()
}
