//! Chat without secrets that looks as if it had some: none of it may change.

use super::{batches, unseen::NEGATIVES};

/// One text a line, save those that need line breaks.
pub fn negatives() -> Vec<String> {
    let mut all: Vec<String> = LINES.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    all.extend(BLOCKS.iter().chain(NEGATIVES).map(|block| (*block).to_owned()));
    all.extend(batches::negatives());
    // What no scanner of repositories should meet is put together here.
    all.push(format!("set GITHUB_TOKEN={}", ["gh", "p_", &"x".repeat(36)].concat()));
    all.push(format!("the docs use {} everywhere", ["AK", "IA", "IOSFODNN7EXAMPLE"].concat()));
    all.push(format!("OPENAI_API_KEY={}", ["sk-", "your-key-here"].concat()));
    all.push(format!("stripe wants {} there", ["sk_", "live_", &"*".repeat(12)].concat()));
    all
}

const LINES: &str = r#"
password: <your password>
password: ${DB_PASS}
DB_PASSWORD=$DB_PASSWORD
password: process.env.DB_PASSWORD
const password = process.env.PASSWORD;
password = os.environ["DB_PASSWORD"]
password=changeme
password: ********
password: xxxxxxxx
PASSWORD=<redacted>
password: null
password: None
password: true
let password = prompt("Password?");
const token = await getToken(user);
token = response.data.access_token
this.token = token;
self.password = password
password: string;
password: str = Field(min_length=8)
pub password: Option<String>,
fn login(user: &str, password: &str) -> Result<Token>
interface Login { user: string; password: string }
def connect(user, password=None, token=None):
connect(host=host, user=user, password=pw)
the password is wrong
pass `next` back as `cursor` for the next page
sign in with a cookie: `parlour person password`, `parlour person link`.
fn read_key(folder: &Path) -> io::Result<[u8; 32]> {
assert!(!self.sign_in(&json!({"name": unknown, "password": wrong})).await);
Table::new("speed", about, &["step", "ratio to a pass", "microseconds here"]);
The password is incorrect.
the password is required
password is too short, it needs 12 characters
the password must be at least 8 characters long
Password must contain a number and a symbol
password reset flow is broken on Safari
forgot password link does nothing
the token is expired
token expired 3 minutes ago
the token is still valid for 30 days
the secret is safe with me
the secret is out
our secret is stored in Vault
secret: see 1Password
password: see the vault
the password is in 1Password under "staging db"
ask Jane for the password
which password is it?
is the password hashed with argon2id or bcrypt?
the password is sha256-hashed
passwords are stored as bcrypt hashes
token count is 4096
max_tokens: 4096
tokens: 18234
we used 120000 tokens yesterday
token_type: bearer
"token_type": "Bearer", "expires_in": 3600
secretName: app-tls
secretKeyRef: { name: db, key: password }
key: value
primary key: id
cache key is user:1234:profile
the key is to keep it simple
key takeaways: ship it, then measure
idempotency_key: 550e8400-e29b-41d4-a716-446655440000
public key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl jane
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 deploy
sortKey: created_at
partition_key = "tenant"
press any key to continue
Bearer tokens are fine here
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
curl -H "Authorization: Bearer ${TOKEN}" https://api.acme.dev
Authorization: Bearer YOUR_TOKEN
use basic auth for now
curl -u $USER:$PASS https://acme.dev
curl -u user:password https://acme.dev
postgres://user:password@localhost:5432/db
postgres://postgres:postgres@localhost:5432/app
postgres://${USER}:${PASS}@db/app
https://acme.dev/search?q=token&page=2
https://acme.dev/?key=value
https://acme.dev/watch?v=dQw4w9WgXcQ
https://github.com/acme/app/pull/4711#discussion_r123456789
git clone git@github.com:acme/app.git
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
revert 9fceb02 please
HEAD is now at 3f2a9bc context: Count tokens
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  release.tar.gz
image: ghcr.io/acme/app@sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1
"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="
md5 d41d8cd98f00b204e9800998ecf8427e
request id 550e8400-e29b-41d4-a716-446655440000 failed
msg_01KA3V8Q2N7W4T9Y6B5C0D1E2F was edited
see thread thr_01KA3V8Q2N7W4T9Y6B5C0D1E2F in prj_01KA3V8Q2N7W4T9Y6B5C0D1E2F
token tok_01KA3V8Q2N7W4T9Y6B5C0D1E2F was revoked
trace 0af7651916cd43dd8448eb211c80319c span b7ad6b7169203331
color: #ff8800; background: #1e1e2e
version 1.2.3.4 is out
upgrade to 10.0.19045.3803
bump serde to 1.0.219 and tokio to 1.44.2
v2.0.0-rc.1+build.5
Chrome 120.0.6099.109 crashes
listening on 127.0.0.1:8080
bind 0.0.0.0:3000
netmask 255.255.255.0
allow 10.0.0.0/8 and 192.168.0.0/16
dns 8.8.8.8 and 1.1.1.1
ping ::1 works
std::net::Ipv6Addr is in core::net
OID 1.3.6.1.4.1.311
at 2024-05-01T12:30:45.123Z the job died
2024-05-01 12:30:45,123 INFO started
epoch 1714566645 or 1714566645123
deadline 16.11.2026, 14:00-15:30
call 3 of 5 timed out after 30000 ms
it costs $1,299.00 or 1.199,00 €
+1 from me
+120 -45 lines changed
added 1234567 rows in 12.5 s
order 4711-0815 shipped
ticket ACME-12345 is blocked by #98765
invoice 2024-000123 over 4500.00
PR #1234, issue #567, build 20240501.3
port 5432 is taken, use 5433
exit code 127
status code: 404
error code: 0x80070057
the code is 200 lines long
code: E0382
pin the version to 1.75.0
GPIO pin 17 is high
pin: 13
isbn 978-3-16-148410-0
snowflake id 1234567890123456789
tweet 1745678901234567890
4 8 15 16 23 42
1234 5678 9012 3456
0000 0000 0000 0000
00:1A is a cell, 12:30 is a time
hexdump 06 12 34 56 78 9a bc de
0x7ffd3a2b1c40 is the pointer
icon@2x.png is missing
npm i react@18.2.0 @types/node@20.1.0
uses: actions/checkout@v4.1
@jane can you look at this?
ssh deploy@web01 works
path /run/secrets/db_password
DB_PASSWORD_FILE=/run/secrets/db_password
crates/parlour-context/src/redact/told/judge.rs:42
D:\Work\bob\AppData\Local\Temp\build.log
getUserPasswordResetTokenExpiry()
AbstractSingletonProxyFactoryBean
the passport check failed in e2e
compass, bypass, passenger, passing tests
all tests pass: 412 of 412
pass: 412, fail: 0
tests pass on 3 of 4 runners
2 passed; 0 failed
pass the token to the next handler
pass X-Request-Id through
author: Jane, co-author: Bob
login: broken since Monday
login: required
log in with SSO
username: bob
user: admin
user admin / role editor
secrets: inherit
password_hash: argon2id
password_policy: strong
passwordField.value = ''
<input type="password" name="password" placeholder="Password">
<label for="password">Password:</label>
"password": "The password of the user",
"password": {"type": "string", "minLength": 8}
errors.password = "is too short"
password: "must not be blank"
t("password.reset.title")
Password: [password 1]
the key is [aws-key 1], the mail [mail 2]
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
what about a private key? we have none
eyJust kidding, that is no token
sk-learn and sk-image are python packages
the hf_hub_download helper caches files
npm_config_registry is set
npm_package_version and npm_lifecycle_event
pypi-publish is the action we use
ghp_ is the prefix of GitHub tokens
xoxb- tokens are for bots
AKIA is the prefix of long-lived keys
we store tokens as sha256
iv is 12 bytes, tag is 16 bytes, key is 256 bits
lat 50 ms, p95 120 ms
coordinates: see the map
I was born in 1990
birthday party on 2024-05-01
my address is on the website
meet at 5 Main Hall
streetlight and roadmap are not addresses
phone support opens at 9
the phone is broken
telemetry: 1200 events
cell B12 is empty
reach me on Slack
MAC OS 14.2 and macOS 15
utf-8, utf-16 and base64
set max-age=31536000; includeSubDomains
Cookie: theme=dark; lang=en
cookies are httpOnly
session_timeout: 3600
session started 12 minutes ago
the session id is in the header
key=arrow_left
--token-budget 512
--password-stdin
--api-key-file keys.json
api_key: your-api-key
API_KEY=your_api_key_here
apiKey: "<insert key>"
api_version: 2024-05-01
auth: oauth2
auth_url: https://acme.dev/oauth/authorize
the access key is rotated weekly
my secret santa is Bob
secret: true
client_id: 1234567890-abcdefghijk.apps.googleusercontent.com
kubectl get secret db-credentials -o yaml
credentials: include
credentials are in the vault / ask Jane
creds are rotated / expired
cargo test --package parlour-context -- redact::tests
docker run -p 8080:80 nginx
docker run -p 127.0.0.1:5432:5432 postgres
mysql -u root -p shop < dump.sql
mysql -h db -P 3306 -u app -p
ssh -p 2222 deploy@web01
mkdir -p target/debug/build-2024
base64 of hello is aGVsbG8gd29ybGQhIGhvdyBhcmUgeW91
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
SELECT * FROM users WHERE password IS NOT NULL
the 2FA code did not arrive
verification code expired
otp: not configured
use the same password as before
use a long random string as the password
it is not the password
v2 is the token format
what is the wifi password?
Das Passwort ist falsch
Passwort vergessen?
le mot de passe est incorrect
la contraseña es incorrecta
пароль неверный
密码错误
licence: MIT OR Apache-2.0
1f600 is an emoji, U+200B is not
arn:aws:iam::123456789012:role/deploy
s3://acme-builds/2024/05/01/app.tar.gz
sha256~ is what OpenShift starts with
"type": "service_account", "project_id": "acme-prod"
{"id":"chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVwXyZ12","object":"chat.completion"}
toolu_01A09q90qw90lq917835lq9 returned nothing
W3C traceparent 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
etag "33a64df551425fcc55e4d42a148795d9f25f89d4"
nonce-rAnd0m123 in the CSP header
"#;

const BLOCKS: &[&str] = &[
    "password:\n  type: string\n  minLength: 8",
    "spec:\n  containers:\n    - name: app\n      env:\n        - name: DB_PASSWORD\n          valueFrom:\n            secretKeyRef:\n              name: db\n              key: password",
    "| field | type |\n|---|---|\n| password | string |\n| token | string |",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ2Fub25pY2FsIGNlcnRpZmljYXRlIHRleHQwCgYIKoZI\nzj0EAwIwEjEQMA4GA1UEAwwHZXhhbXBsZTAeFw0yNDA1MDExMjAwMDBaFw0yNTA1\n-----END CERTIFICATE-----",
    "if (password.length < 8) {\n  throw new Error('password too short');\n}",
    "steps:\n  - uses: docker/login-action@v3\n    with:\n      username: ${{ github.actor }}\n      password: ${{ secrets.GITHUB_TOKEN }}",
    "struct Login {\n    user: String,\n    password: SecretString,\n    token: Option<Token>,\n}",
    "error[E0382]: borrow of moved value: `token`\n  --> src/main.rs:12:20",
    "Jane: did the password change work?\nBob: yes, thanks\nJane: great",
    "2024-05-01T12:30:45Z INFO login user=bob ip=127.0.0.1 status=200\n2024-05-01T12:30:46Z WARN token expired user=bob",
    "[[package]]\nname = \"regex\"\nversion = \"1.11.1\"\nsource = \"registry+index\"\nchecksum = \"b544ef1b4eac5dc2db33ea63606ae9ffcfac26c1416a2806ae0bf5f56b201191\"",
    "diff --git a/src/lib.rs b/src/lib.rs\nindex 83db48f..bf2a9c1 100644\n--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1,4 +1,6 @@",
];
