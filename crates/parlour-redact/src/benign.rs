//! Values that look like passwords and are names of things: versions, dates, tickets, products, identifiers, machines. And the
//! opposite: words that look like a password that a person chose.

use super::{
    high_entropy,
    shape::{self, CharCounts},
    words::{
        CODE_NOUNS, MODIFIER_KEYS, MONTH_PREFIXES, NON_VALUES, NUMBERED_NOUNS, PRODUCTS, REGIONS, SENTENCE_WORDS,
        TECHNICAL_TERMS,
    },
};

/// Symbols of code, addresses and paths that chosen passwords hardly have.
const CODE_SYMBOLS: &str = "/\\=()[]{}<>|;:,\"'`";

/// Whether a value is the name of a thing: a ticket, a commit, a host, a file, a version, a size.
pub(crate) fn is_benign_name(text: &str) -> bool {
    let counts = CharCounts::of(text);
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_ticket = counts.lower == 0 && high_entropy::changes(text) * 2 < text.len();
    let is_host = text.contains('.') && counts.upper == 0 && counts.symbols == text.matches(['.', '-']).count();
    let is_mention = text.starts_with(['@', '#', '-', '$', '.', '%', '&']);
    let unit = text.trim_start_matches(|char: char| char.is_ascii_digit() || ".,-".contains(char));
    let is_size = unit.len() < text.len() && unit.chars().count() <= 5 && unit.chars().all(char::is_alphabetic);
    is_hex
        || is_ticket
        || is_host
        || is_mention
        || is_size
        || text.contains(|char| CODE_SYMBOLS.contains(char))
        || text.contains('@') && text.contains('.')
        || is_version(text)
        || is_date_or_time(text)
        || is_technical_term(text)
        || is_region_name(text)
        || has_code_noun(text)
        || is_resource(text)
        || is_numbered_noun(text)
        || shape::is_own_id(text)
}

/// `getUser2`, `OAuth2Client`, `snake_case_2`.
pub(crate) fn is_identifier(text: &str) -> bool {
    let counts = CharCounts::of(text);
    let is_snake = counts.upper == 0 && text.contains('_') && counts.digits <= 1;
    let humps = text.chars().skip(1).filter(|char| char.is_uppercase()).count();
    is_snake || counts.symbols == 0 && humps > 0 && counts.digits <= 1
}

pub(crate) fn is_technical_term(value: &str) -> bool {
    let lower = value.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
    TECHNICAL_TERMS.contains(&lower)
        // `Ctrl+Shift+P`.
        || lower.split_once('+').is_some_and(|(held, _)| MODIFIER_KEYS.contains(held))
        || is_model(&lower)
        || is_product(&value.trim_end_matches(['.', ',', ';', ':']).to_lowercase())
        || lower.split('-').next().is_some_and(|head| {
            TECHNICAL_TERMS.contains(head)
                && lower.len() > head.len()
                && lower[head.len() + 1..].chars().all(char::is_alphabetic)
        })
        || lower.split('-').all(|part| TECHNICAL_TERMS.contains(part) || part.bytes().all(|byte| byte.is_ascii_digit()))
            && lower.contains(char::is_alphabetic)
        || lower.split('/').all(|part| !part.is_empty() && (TECHNICAL_TERMS.contains(part) || NON_VALUES.contains(part)))
}

/// `v2`, `1.4.0`, `v1.2.3-rc1`.
pub(crate) fn is_version(value: &str) -> bool {
    let rest = value.trim_start_matches(['v', 'V', '^', '~', '=']);
    if is_numbered_name(value) {
        return true;
    }
    let head: String = rest.chars().take_while(|char| char.is_ascii_digit() || *char == '.').collect();
    let is_numbered = !head.is_empty() && (head.contains('.') || rest.len() < value.len()) && head.len() <= 12;
    is_numbered
        && (rest.len() == head.len() || rest[head.len()..].starts_with(['-', '+', 'r', 'a', 'b']) && head.contains('.'))
}

/// `Loki-3.1`, `Onboarding2.0`.
fn is_numbered_name(value: &str) -> bool {
    let number = value.trim_start_matches(|char: char| char.is_ascii_alphabetic()).trim_start_matches('-');
    let is_part = |part: &str| !part.is_empty() && part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    number.len() < value.len() && number.contains('.') && number.split('.').all(is_part)
}

/// `2024-05-01`, `12:30`, `2024-05-01T12:30:00Z`, `30m`.
pub(crate) fn is_date_or_time(value: &str) -> bool {
    let is_part = |char: char| char.is_ascii_digit() || "-:/.TZ+".contains(char);
    is_day(value)
        || value.chars().all(is_part)
            && value.contains(['-', ':', '/'])
            && value.bytes().filter(u8::is_ascii_digit).count() >= 3
}

/// `28-Jan-97`.
fn is_day(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '/', '.']).collect();
    let is_number = |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let [day, month, year] = parts.as_slice() else { return false };
    is_number(day) && is_number(year) && MONTH_PREFIXES.contains(month.to_lowercase().get(..3).unwrap_or_default())
}

/// `Admin2Controller`: an identifier that ends with a noun of code.
pub(crate) fn has_code_noun(text: &str) -> bool {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // `User2Role`.
    let is_way = text.split_once('2').is_some_and(|(from, to)| {
        let is_word = |part: &str| part.len() > 2 && part[1..].bytes().all(|byte| byte.is_ascii_lowercase());
        is_plain && is_word(from) && is_word(to) && to.starts_with(|char: char| char.is_ascii_uppercase())
    });
    let ends_word = |head: &str| head.ends_with(|char: char| char.is_ascii_lowercase() || char.is_ascii_digit());
    let stem = text.trim_end_matches(|char: char| char.is_ascii_digit());
    let is_next =
        stem.len() + 2 >= text.len() && stem.len() < text.len() && stem.strip_suffix('V').is_some_and(ends_word);
    let is_numbered = stem.len() < text.len()
        && stem.len() + 2 >= text.len()
        && (CODE_NOUNS.contains(stem)
            || stem.starts_with(char::is_uppercase) && NUMBERED_NOUNS.contains(&stem.to_lowercase()));
    is_way
        || is_plain && (is_next || is_numbered)
        || is_plain
            && CODE_NOUNS
                .iter()
                .any(|noun| text.strip_suffix(noun).is_some_and(|head| head.len() > 2 && ends_word(head)))
}

/// `prod-eu-1`, `web-us-east-2`.
pub(crate) fn is_region_name(text: &str) -> bool {
    text.contains('-') && shape::is_name_with_number(text) && text.split('-').any(|part| REGIONS.contains(part))
}

/// `Release-24`, `VLAN-40`, `Policy-2024-07`, `Entra-ID`.
pub(crate) fn is_numbered_noun(text: &str) -> bool {
    let (head, rest) = text.split_once(['-', '_', ' ']).unwrap_or((text, "?"));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') || part.len() == 1;
    // `Bug#130192`.
    let kept = text.split_once('#').is_some_and(|(head, number)| {
        NUMBERED_NOUNS.contains(&head.to_lowercase()) && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    kept || rest == "ID" || NUMBERED_NOUNS.contains(&head.to_lowercase()) && rest.split(['-', '_']).all(is_number)
}

/// `db-credentials-v2`, `regcred-01`: the name of a stored secret.
fn is_resource(text: &str) -> bool {
    let words = ["cred", "secret", "password", "token", "auth", "tls", "cert", "-key", "key-"];
    text.contains(['-', '_']) && shape::is_name_with_number(text) && words.iter().any(|word| text.contains(word))
}

/// Whether a symbol that sentences and names do not have is between letters or digits.
pub(crate) fn has_inner_symbol(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    chars
        .windows(3)
        .any(|three| "!$%^&*?#@+~".contains(three[1]) && three[0].is_alphanumeric() && three[2].is_alphanumeric())
}

/// `Rosemary-Thyme7`: two words or more and a number, as people choose passwords and name little else.
pub(crate) fn looks_like_chosen_password(text: &str) -> bool {
    let bare = text.trim_end_matches('!');
    let mut words = 0;
    let mut is_numbered = bare.len() < text.len();
    // `Tupfer-Pflaster-8`: the number may be separate.
    let is_number = |last: &str| (1..=4).contains(&last.len()) && last.bytes().all(|byte| byte.is_ascii_digit());
    let stem = bare.rsplit_once(['-', '_', '.']).filter(|(_, last)| is_number(last)).map_or(bare, |(stem, _)| stem);
    let is_apart = stem.len() < bare.len();
    is_numbered |= is_apart;
    // `Build-And-Test-12`, `Pinentry-gtk-2`: titles consist of known or short words.
    let is_title = |part: &str| {
        let lower = part.to_lowercase();
        part.len() < 4
            || NON_VALUES.contains(&lower)
            || SENTENCE_WORDS.contains(&lower)
            || NUMBERED_NOUNS.contains(&lower)
    };
    if is_apart && stem.split(['-', '_', '.']).any(is_title) {
        return false;
    }
    let are_words = stem.split(['-', '_', '.']).all(|part| {
        let word = part.trim_end_matches(|char: char| char.is_ascii_digit());
        words += usize::from(word.len() >= 3);
        is_numbered |= word.len() >= 3 && word.len() < part.len();
        word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic()) && part.len() - word.len() <= 4
    });
    are_words && is_numbered && words > 1 && bare.len() >= 9 && text.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// `vessel-Quartz-mango-81`, `j3nk1ns-is-0ld`: some words are capitalised, or digits replace letters.
pub(crate) fn has_uneven_words(text: &str) -> bool {
    let words = || {
        let bare = text.split(['-', '_', '.']).map(|part| part.trim_end_matches(|char: char| char.is_ascii_digit()));
        bare.filter(|word| word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
    };
    let capitals = words().filter(|word| word.starts_with(|char: char| char.is_ascii_uppercase())).count();
    let is_uneven = capitals > 0 && capitals < words().count() && words().count() > 1;
    let counts = CharCounts::of(text);
    let chars: Vec<char> = text.chars().collect();
    let is_letter = |char: Option<&char>| char.is_some_and(char::is_ascii_alphabetic);
    let is_substitute = |at: &usize| {
        "013457".contains(chars[*at])
            && is_letter(chars.get(at + 1))
            && (*at == 0 || is_letter(chars.get(at - 1)) || !chars[at - 1].is_alphanumeric())
    };
    let substitutes = (0..chars.len()).filter(is_substitute).count();
    let is_leet = (substitutes > 1 || substitutes > 0 && counts.upper > 1)
        && substitutes == counts.digits
        && counts.letters() > counts.digits * 2
        && text.contains(['-', '_', '.', '!']);
    counts.digits > 0 && is_uneven || is_leet
}

/// `cus_NffrFeUfNV2Hib`: an id with a short prefix.
pub(crate) fn is_prefixed_id(text: &str) -> bool {
    text.split_once('_').is_some_and(|(head, id)| {
        (2..=6).contains(&head.len())
            && head.bytes().all(|byte| byte.is_ascii_lowercase())
            && id.len() >= 12
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && shape::is_random(id)
    })
}

/// `gpt-4o-mini`, `claude-3-5-sonnet`: a product, its number and a variant.
fn is_model(lower: &str) -> bool {
    let mut parts = lower.split('-');
    let is_known = parts.next().is_some_and(|name| PRODUCTS.contains(name));
    let number = parts.next().unwrap_or_default();
    is_known
        && number.starts_with(|char: char| char.is_ascii_digit())
        && number.len() <= 4
        && parts.all(|part| part.len() <= 8)
}

/// `Firefox128`, `Postgres16`, `Bitwarden-2024.10`: a product and its version.
fn is_product(lower: &str) -> bool {
    let name: String = lower.chars().take_while(char::is_ascii_alphabetic).collect();
    let rest = &lower[name.len()..];
    let is_number = |part: &str| {
        let digits = part.trim_end_matches(char::is_alphabetic);
        let is_year = digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"));
        let is_short = digits.len() <= 3 || digits.contains('.') || is_year;
        !digits.is_empty()
            && is_short
            && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && part.len() <= digits.len() + 3
    };
    !rest.is_empty()
        && PRODUCTS.contains(&name)
        && rest.split(['-', '_', ' ']).filter(|part| !part.is_empty()).all(|part| is_number(part) && part.len() <= 8)
}
