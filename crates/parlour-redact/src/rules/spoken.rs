//! Numbers that let somebody in, as people tell them; pieces of what is told in pieces.

use super::super::{
    check, pair,
    rule::{Rule, rule},
    spoken,
};

pub(super) const RULES: &[Rule] = &[
    rule(
        "code",
        &["code", "pin", "otp"],
        r"(?i)\b(?:use|enter|type|tap|punch in|try|with|dial)\s+(\d{4,8}|\d{3}[ -]\d{3})#?\s+(?:as|for)\s+(?:(?:the|your|my|our|a)\s+)?(?:[0-9A-Za-z_-]{1,20}\s+){0,3}(?:code|pin|otp|passcode)\b",
    ),
    rule(
        "pin",
        &["pin?", "code?", "otp?", "passcode?", "puk?", " pin ", " code ", "otp ", "combo"],
        r"(?i)\b(?:pin|puk|otp|passcode|pincode|(?:door|gate|alarm|access|entry|lock|safe|unlock|login|security|verification|2fa|mfa|garage|keypad|building|lobby|entrance)\s+(?:code|combo))\b[^\n?]{0,60}\?+[ \t>→=-]{0,4}\n{0,2}[ \t>]{0,4}(?:[0-9A-Za-z_.@ ]{1,20}:[ \t]{0,2})?(?:it['’]?s\s+|is\s+)?#?(\d{4,8})#?[ \t.!]{0,2}(?:\n|$)",
    ),
    rule(
        "pin",
        &["alarm", "door", "gate", "safe", "keypad", "garage", "lock"],
        r"(?i)\b(?:doors?|gate|alarm|safe|garage|keypad|padlock|lock)\b[^\n.,;:=\d]{0,40}?(?:\bis|\bto|:|=|→)\s+#?(\d{4,8})#?\s+(?:then|and|but|or|press|followed|twice|if|when|until|please|dann|und|puis|et|luego|y)\b",
    ),
    rule(
        "pin",
        &["safe", "lockbox", "lock", "locker", "gate", "door", "keypad", "combination", "combo"],
        r"(?i)\b(?:safe|lockbox|padlock|lock|locker|gate|door|keypad|combination|combo)\b[^\n\d]{0,30}?(?:\bis|\bopens with|\bto|:|=|→)\s{1,2}(#?\d(?:-\d){3,7}#?|#\d{3,8}[*#]?|\d{4,8}[*#])(?:[\s.,;!?)]|$)",
    )
    .checked(spoken::is_door_number),
    rule(
        "pin",
        &["keypad", "door code", "gate code", "alarm code", "garage", "kod ", "kód", "koodi", "kode", "codice", "código"],
        r"(?im)\b(?:keypad|(?:door|gate|alarm|garage|entry|lobby)\s(?:code|pin|keypad)|(?:kod|kód|koodi|kode|codice|código)\s\p{L}{1,12}(?:\s\p{L}{3,20})?)[ \t]+(\d{4,8}[#*]?)[ \t]*(?:[.,;!]|$)",
    ),
    rule("code", &["is the code", "was the code", "is the pin", "is the otp", "is my code"], r"(?i)\b(\d{3}[ -]\d{3}|\d{4,8})\s+(?:is|was)\s+(?:the|my)\s+(?:[a-z0-9-]{1,20}\s){0,2}(?:code|pin|otp)\b"),
    rule("code", &["authenticator", "authy", "google auth"], r"(?i)\b(?:authenticator|authy|google auth)\b[^\n\d]{0,30}?\b(?:shows|says|displays|gives|reads|is|zeigt)\b[^\n\d]{0,20}?(\d{3}[ -]?\d{3})\b"),
    rule("totp-secret", &["totp", "2fa", "mfa", "authenticator"], r"(?i)\b(?:totp|2fa|mfa|authenticator)\b[^\n]{0,30}?\s((?-i:(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{4}))\b"),
    rule(
        "secret",
        &["half", "halves", "hälfte", "part ", "parts", "pieces", "piece", "teil", "moitié", "mitad", "metà", "split", "concat", "both", "join"],
        r"(?im)(?:^|[\s(])(?:first|second|third|fourth|last|1st|2nd|3rd|4th|rest|part|half|piece|teil|erster?|zweiter?|erste hälfte|zweite hälfte|partie|parte|line [1-4]|zeile [1-4]|[1-4](?:/[2-4])?[.)]?)\b[^\n:=]{0,24}(?:[:=]|\bis\b|->|→)[ \t]*[\x22'`]?([A-Za-z0-9_+/=-]{8,200})",
    )
    .checked(check::is_piece),
    rule(
        "secret",
        &["half", "halves", "part ", "parts", "pieces", "piece", "split"],
        r"(?i)\b(?:then|and|plus|followed by|and then|und|dann|puis|starts|begins|ends|starts with|begins with|ends with|ends in)\s+[\x22'`]?([A-Za-z0-9_+/-]{8,200})[\x22'`]?(?:[\s.,;)]|$)",
    )
    .checked(check::is_piece),
    rule("secret", &["00000000"], r"(?m)^[ \t]{0,4}[0-9a-f]{6,8}:?[ \t]{1,3}((?:[0-9a-f]{2,4}[ \t]{1,3}){3,16}[^\n]{0,40})$").checked(check::says_secret),
    rule(
        "password",
        &["log in", "login", "logged in", "logging in", "sign in", "signed in", "signing in", "ssh in", "logs in", "einloggen", "anmelden"],
        r"(?i)\b(?:log(?:s|ged|ging)? ?in|sign(?:s|ed|ing)? ?in|ssh in|einloggen|anmelden)\b[^\n.;:]{0,40}?\b(?:with|as|using|mit|als)\s+\S{1,60}\s+(?:and|plus|\+|&|with|und|mit)\s+[\x22'`]?([^\s\x22'`,;]{6,60})",
    )
    .checked(check::is_mixed_word),
    rule("pin", &["unlock", "disarm", "opens", "open "], r"(?i)\b(?:unlock|disarm|open)(?:s|ed)?\s(?:it\s|them\s)?with\s#?(\d{4,8})[#*]?(?:[\s.,;!?)]|$)").checked(spoken::is_followed),
    rule("pin", &["unlock"], r"(?i)\bunlock(?:s|ing)?\b[^\n\d:=]{0,40}[:=]\s{0,2}#?(\d{4,8})[#*]?(?:[\s.,;!?)]|$)").checked(check::is_no_measure),
    rule("pin", &["combo", "combination"], r"(?i)\b(?:combo|combination)\b[^\n]{0,60}?\b(?:now|is|to)\s(\d{1,2}-\d{1,2}-\d{1,2})(?:[^\d-]|$)"),
    rule(
        "code",
        &["sms", "text", "mail", "authenticator", "phone", "token"],
        r"(?i)\bcode\b[^\n:=\d]{0,30}\b(?:sms|text|text message|e?-?mail|authenticator|phone|token|app)\b[^\n\d:=]{0,20}(?:[:=]|\bis)\s{0,2}(\d{4,8}|\d{3}[ -]\d{3})(?:[\s.,;!?)]|$)",
    ),
    rule(
        "password",
        &["/", "|", ":"],
        r"(?:^|[\s\x22'`(>→*])(?P<u>[A-Za-z][0-9A-Za-z_.@+-]{1,40})[\x22'`*]{0,2}(?P<s>\s{0,2}(?:/{1,2}|\||:)[ \t]{0,2})[\x22'`*]{0,2}(?P<v>[^\s,;:/|\x22'`()<>\[\]{}]{6,60})",
    )
    .checked(pair::is_login),
    rule(
        "password",
        &["login", "log in", "logging in", "logged in", "sign", "creds", "credential", "account", "user", "auth", "zugang", "einlogg", "anmeld", "connect", "connexion", "identifiant", "acceso", "accesso", "mailbox", "wifi", "wlan", " ui", "panel", "portal", "console", "admin", "use ", "try "],
        r"(?:^|[\s\x22'`(>→*])(?P<u>[A-Za-z][0-9A-Za-z_.@+-]{1,60})[\x22'`*]{0,2}(?P<s>,?[ \t]{1,2}(?i:with|and|plus|und|mit|et|avec|y|con|e|com|en|met|og|med)[ \t]{1,2}(?:(?i:pw|pass|pwd)[ \t]{1,2})?|[ \t]?[,+&][ \t]{1,2})[\x22'`*]{0,2}(?P<v>[^\s,;:/|\x22'`()<>\[\]{}]{6,60})",
    )
    .checked(pair::is_login),
    rule(
        "password",
        &["security question", "secret question", "security answer", "secret answer", "maiden name", "sicherheitsfrage"],
        r"(?i:\b(?:(?:security|secret)\s+(?:question['’]?s?\s+)?answer|answer\s+(?:to|for)\s+[^\n:=]{0,20}(?:security|secret)\s+question|maiden name|sicherheitsfrage)\b[^\n:=]{0,50}?(?:\bis\b|\bist\b|:|=|→)\s{0,3})[\x22'`“]?((?:[A-Z][A-Za-zà-ÿ'-]{2,20}|[A-Za-z]{0,20}[0-9][0-9A-Za-z]{1,20})(?:\s[A-Z][A-Za-zà-ÿ'-]{2,20}){0,3})",
    )
    .checked(check::is_no_stand_in),
];
