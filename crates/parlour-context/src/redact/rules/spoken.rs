//! Numbers that let somebody in, as people tell them; pieces of what is told in pieces.

use super::super::{
    check,
    rule::{Rule, rule},
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
        "secret",
        &["half", "halves", "hälfte", "part ", "parts", "pieces", "piece", "teil", "moitié", "mitad", "metà", "split"],
        r"(?im)(?:^|[\s(])(?:first|second|third|fourth|last|1st|2nd|3rd|4th|rest|part|half|piece|teil|erster?|zweiter?|erste hälfte|zweite hälfte|partie|parte|[1-4](?:/[2-4])?[.)]?)\b[^\n:=]{0,24}(?:[:=]|\bis\b|->|→)[ \t]*[\x22'`]?([A-Za-z0-9_+/=-]{8,200})",
    )
    .checked(check::is_piece),
    rule(
        "secret",
        &["half", "halves", "part ", "parts", "pieces", "piece", "split"],
        r"(?i)\b(?:then|and|plus|followed by|and then|und|dann|puis)\s+[\x22'`]?([A-Za-z0-9_+/-]{8,200})[\x22'`]?(?:[\s.,;)]|$)",
    )
    .checked(check::is_piece),
];
