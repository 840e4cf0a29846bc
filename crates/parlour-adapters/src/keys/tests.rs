use std::{fs, os::unix::fs::PermissionsExt as _};

use parlour_core::{Code, limits};

use super::*;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

fn start() -> Timestamp {
    Timestamp::from_millis(0)
}

fn claims(keys: &FileKeys, now: Timestamp) -> Claims {
    let seconds = now.as_millis() / 1000;
    Claims {
        iss: keys.issuer().to_owned(),
        aud: keys.issuer().to_owned(),
        sub: "agt_coder".parse().expect("id"),
        jti: "tok_1".parse().expect("id"),
        scope: "messages:read".to_owned(),
        iat: seconds,
        exp: seconds + limits::TOKEN_SECONDS_MAX as i64,
    }
}

fn ids(keys: &FileKeys) -> Vec<String> {
    let set = keys.jwks();
    let keys = set["keys"].as_array().expect("a list").iter();
    keys.map(|key| key["kid"].as_str().expect("an id").to_owned()).collect()
}

fn open(folder: &Path, now: Timestamp) -> FileKeys {
    FileKeys::open_at(folder, now).expect("keys")
}

#[tokio::test]
async fn issuer_name_and_keys_survive_a_restart() {
    let folder = tempfile::tempdir().expect("folder");
    let before = open(folder.path(), start());
    let token = before.sign(&claims(&before, start())).expect("token");
    before.rotate(start()).await.expect("a second key");
    let after = open(folder.path(), start());
    assert_eq!((after.issuer(), after.jwks()), (before.issuer(), before.jwks()));
    assert_eq!(after.read(&token), Ok(claims(&before, start())));
}

#[tokio::test]
async fn a_replaced_key_is_dropped_after_the_expiry_of_its_last_token() {
    let folder = tempfile::tempdir().expect("folder");
    let keys = open(folder.path(), start());
    let token = keys.sign(&claims(&keys, start())).expect("token");
    let second = keys.rotate(start()).await.expect("second");
    let last_day = start().plus_millis(366 * DAY_MS);
    let third = keys.rotate(last_day).await.expect("third");
    assert!(keys.read(&token).is_ok(), "the last second has not passed");
    let fourth = keys.rotate(last_day.plus_millis(DAY_MS)).await.expect("fourth");
    assert_eq!(ids(&keys), [fourth, third, second], "the first is forgotten, the second is not");
    assert_eq!(keys.read(&token), Err(TokenRejection("no key of this hub has signed this token")));
}

#[tokio::test]
async fn a_restart_drops_expired_replaced_keys() {
    let folder = tempfile::tempdir().expect("folder");
    let keys = open(folder.path(), start());
    let second = keys.rotate(start()).await.expect("second");
    assert_eq!(ids(&open(folder.path(), start().plus_millis(366 * DAY_MS))).len(), 2);
    assert_eq!(ids(&open(folder.path(), start().plus_millis(367 * DAY_MS))), [second]);
}

#[tokio::test]
async fn tokens_signed_with_a_replaced_key_after_the_rotation_are_refused() {
    let (theirs, ours) = (tempfile::tempdir().expect("folder"), tempfile::tempdir().expect("folder"));
    let keys = open(ours.path(), start());
    fs::create_dir(theirs.path().join("keys")).expect("folder");
    fs::copy(ours.path().join("keys/keys.json"), theirs.path().join("keys/keys.json")).expect("stolen");
    let thief = open(theirs.path(), start());
    keys.rotate(start()).await.expect("rotated");
    let forged = thief.sign(&claims(&thief, start().plus_millis(DAY_MS))).expect("forged");
    assert_eq!(keys.read(&forged), Err(TokenRejection("this token was signed after its key was replaced")));
}

#[tokio::test]
async fn a_rotation_deletes_the_private_key() {
    let folder = tempfile::tempdir().expect("folder");
    let keys = open(folder.path(), start());
    let file = folder.path().join("keys/keys.json");
    let secret = |text: String| {
        let json: Value = serde_json::from_str(&text).expect("json");
        json["signing"]["pkcs8"].as_str().expect("a secret").to_owned()
    };
    let first = secret(fs::read_to_string(&file).expect("file"));
    keys.rotate(start()).await.expect("rotated");
    assert!(!fs::read_to_string(&file).expect("file").contains(&first));
}

#[tokio::test]
async fn a_rotation_beyond_the_limit_is_refused_and_keeps_the_signing_key() {
    let folder = tempfile::tempdir().expect("folder");
    let keys = open(folder.path(), start());
    let mut newest = String::new();
    for _ in 0..limits::REPLACED_KEYS_MAX {
        newest = keys.rotate(start()).await.expect("room");
    }
    let failure = keys.rotate(start()).await.expect_err("full");
    assert_eq!(failure.refusal().map(|refusal| refusal.code), Some(Code::Full));
    assert_eq!((ids(&keys).len(), &ids(&keys)[0]), (limits::REPLACED_KEYS_MAX + 1, &newest));
    assert_eq!(ids(&open(folder.path(), start())), ids(&keys), "so many fit into the file");
}

#[test]
fn a_clock_that_was_set_back_drops_no_key_early() {
    let later = start().plus_millis(DAY_MS);
    let set = KeySet::first(later).expect("keys");
    let inspected = set.rotated(start()).expect("rotated").without_ended(start().plus_millis(367 * DAY_MS)).inspect();
    assert_eq!(inspected, KeysInspection { signing_since: start(), replaced: 1 });
}

#[test]
fn key_files_are_private_and_temporary_files_are_removed() {
    let folder = tempfile::tempdir().expect("folder");
    drop(open(folder.path(), start()));
    let keys = folder.path().join("keys");
    fs::write(keys.join(".keys-Half"), "half").expect("leftover");
    fs::write(keys.join("keys.json.old"), "a copy by the operator").expect("copy");
    drop(open(folder.path(), start()));
    let mode = |path: &Path| fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
    assert_eq!((mode(&keys), mode(&keys.join("keys.json"))), (0o700, 0o600));
    assert!(!keys.join(".keys-Half").exists() && keys.join("keys.json.old").exists());
}

#[test]
fn a_damaged_key_file_is_a_fault_and_is_not_replaced() {
    let folder = tempfile::tempdir().expect("folder");
    drop(open(folder.path(), start()));
    let path = folder.path().join("keys/keys.json");
    let whole = fs::read_to_string(&path).expect("file");
    let long = format!("{whole}{}", " ".repeat(100_000));
    for damaged in
        ["", "{}", &whole[1..], &whole.replace("urn:parlour:", "urn:other:"), &whole.replace("MC4C", "mC4C"), &long]
    {
        assert_ne!(damaged, whole);
        fs::write(&path, damaged).expect("damage");
        let failure = FileKeys::open(folder.path()).err().expect("damaged");
        assert!(failure.to_string().contains("keys.json"), "{failure}");
        assert_eq!(fs::read_to_string(&path).expect("file"), damaged, "nothing is replaced");
    }
}

#[test]
fn errors_of_the_key_file_do_not_contain_its_content() {
    let folder = tempfile::tempdir().expect("folder");
    fs::create_dir(folder.path().join("keys")).expect("folder");
    fs::write(folder.path().join("keys/keys.json"), r#"{"issuer": "s3cret", "x": 1}"#).expect("file");
    let Err(Failure::Fault(fault)) = FileKeys::open(folder.path()) else { panic!("damaged") };
    assert!(!fault.chain().contains("s3cret") && fault.chain().contains("line 1"), "{}", fault.chain());
}

#[test]
fn an_inspection_generates_no_key() {
    let folder = tempfile::tempdir().expect("folder");
    assert_eq!(FileKeys::inspect(folder.path()).expect("none"), None);
    assert!(!folder.path().join("keys").exists());
    drop(open(folder.path(), start()));
    let found = FileKeys::inspect(folder.path()).expect("readable");
    assert_eq!(found, Some(KeysInspection { signing_since: start(), replaced: 0 }));
}

#[test]
fn the_expiry_of_a_token_is_read_without_its_key() {
    let folder = tempfile::tempdir().expect("folder");
    let keys = open(folder.path(), start());
    let token = keys.sign(&claims(&keys, start())).expect("token");
    let ends_at = start().plus_millis(limits::TOKEN_SECONDS_MAX as u64 * 1000);
    assert_eq!(token_ends_at(&token), Some(ends_at));
    assert_eq!((token_ends_at("a random text"), token_ends_at("a.b.c")), (None, None));
}
