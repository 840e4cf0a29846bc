//! Signs that are not seen, and where some of them are needed.

/// Whether a sign is not seen or changes the direction of what is.
pub(super) fn is_invisible(sign: char) -> bool {
    sign.is_control()
        || matches!(sign,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Whether an invisible sign is needed between these two: it joins the parts of an emoji, or shapes the letters of scripts
/// that write by it.
pub(super) fn is_needed(sign: char, before: Option<char>, after: Option<char>) -> bool {
    let both = |is: fn(char) -> bool| before.is_some_and(is) && after.is_some_and(is);
    match sign {
        '\u{200d}' => {
            before.is_some_and(|sign| is_emoji(sign) || sign == '\u{fe0f}') && after.is_some_and(is_emoji)
                || both(is_joining)
        }
        '\u{200c}' => both(is_joining),
        '\u{fe0e}' | '\u{fe0f}' => {
            let is_key = |sign: char| sign.is_ascii_digit() || sign == '#' || sign == '*';
            before.is_some_and(is_emoji) || before.is_some_and(is_key) && after == Some('\u{20e3}')
        }
        _ => false,
    }
}

fn is_emoji(sign: char) -> bool {
    matches!(sign, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

fn is_joining(sign: char) -> bool {
    matches!(sign, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17b3}' | '\u{1820}'..='\u{18af}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && sign != '\u{61c}'
}
