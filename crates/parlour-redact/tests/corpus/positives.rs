//! Chat that holds secrets, made up from sentences and made-up secrets.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};

use super::{
    batches,
    makers::{ALNUM, B64, DIGIT, HEX, LOW, MAKERS, Signs, made},
    unseen::POSITIVES as UNSEEN,
};

/// A text, and what must not be left of it.
#[derive(Clone, Debug)]
pub struct Positive {
    pub text: String,
    pub secrets: Vec<String>,
    /// What it shows, for the table.
    pub group: &'static str,
}

/// Sentences around a token of a provider; `{}` is its place.
const AROUND: &[&str] = &[
    "hey, can you try with {} and tell me if it works?",
    "Here it is: {}",
    "{}",
    "export SERVICE={}\nnpm run deploy",
    "I put `{}` into the env file, restart please.",
    "oops, pushed \"{}\" to main :( rotating now",
    "curl -s https://api.acme.dev/v1/me -H 'X-Auth: {}' | jq .",
    "{\"service\":\"billing\",\"value\":\"{}\",\"ttl\":3600}",
    "@ops the old one ({}) stops working on Friday.",
    "config:\n  upstream: https://acme.dev\n  value: {}\n  retries: 3",
    "logs say `401 for {}`, so it must be revoked",
    "key={}, region=eu-west-1",
    "Ich habe {} eingetragen, geht trotzdem nicht.",
    "> use {}\n\nthanks, works",
    "<value>{}</value>",
    "see https://acme.dev/cb?state=1&v={}",
];

/// Passwords as people choose them.
const STRONG: &[&str] = &[
    "Tr0ub4dor&3",
    "hunter2",
    "S3cure!Pass",
    "p@ssw0rd99",
    "Gr8Dane#77",
    "kX9$mQ2vL",
    "Winter2024!",
    "blue-Falcon-42",
    "zx81spectrum",
    "9Lives!Cat",
];

/// Sentences that tell a password; `{}` is its place.
const TELLING: &[&str] = &[
    "the password is {}",
    "password: {}",
    "Password = {}",
    "pw: {}",
    "pwd is {}",
    "the db password is {} btw",
    "the root password for staging is {}",
    "use {} as the password",
    "my password is {}, don't tell anyone",
    "Passwort lautet {}",
    "Das Passwort ist {}",
    "Kennwort: {}",
    "mot de passe : {}",
    "le mot de passe est {}",
    "la contraseña es {}",
    "contraseña: {}",
    "senha: {}",
    "wachtwoord is {}",
    "hasło: {}",
    "пароль: {}",
    "密码是{}",
    "パスワードは {}",
    "wifi password: {}",
    "login admin, pass {}",
    "user: admin\npassword: {}\nhost: db1",
    "username admin password {}",
    "creds: admin / {}",
    "credentials are deploy:{}",
    "**Password:** {}",
    "password → {}",
    "password:\n{}",
    "Password: `{}`",
    "the password is \"{}\".",
    "pass: '{}'",
    "passphrase is {}",
    "DB_PASSWORD={}",
    "DB_PASS = '{}'",
    "export PGPASSWORD={}",
    "\"password\": \"{}\"",
    "password: '{}'",
    "spring.datasource.password={}",
    "mysql -u root -p{} shop",
    "sshpass -p {} ssh deploy@web01",
    "curl -u admin:{} https://acme.dev/api",
    "postgres://app:{}@db.acme.dev:5432/app",
    "redis://:{}@cache.acme.dev:6379/0",
    "mongodb+srv://app:{}@cluster0.ab1cd.mongodb.net/prod",
    "https://acme.dev/login?user=bob&password={}",
    "Server=db;Database=app;User Id=sa;Password={};",
    "docker login -u bob -p {} registry.acme.dev",
    "redis-cli -h cache -a {} ping",
    "ALTER USER app WITH PASSWORD '{}';",
    "CREATE USER bob IDENTIFIED BY '{}';",
    "const password = \"{}\";",
    "password := \"{}\"",
    "ansible_ssh_pass={}",
    "machine acme.dev login bob password {}",
    "{} is the password for the vpn",
    "I changed the admin password to {}",
    "password for the new box: {}",
    "  - name: DB_PASSWORD\n    value: {}",
    "<password>{}</password>",
    "| password | {} |",
    "temp password {} - change it after login",
    "Your temporary password is: {}",
    "--password {}",
    "--password={}",
    "kubectl create secret generic db --from-literal=password={}",
    "echo {} | docker login --username bob --password-stdin",
    "smtp_pass: {}",
    "admin_password = \"{}\"",
    "{\"user\":\"bob\",\"pass\":\"{}\"}",
    "set the password to {} please",
    "sign in with bob@acme.dev and password {}",
    "the new passcode is {}",
    "rootpw {}",
    "PASSWORD: \"{}\"",
    "auth: { user: 'bob', pass: '{}' }",
    "wifi: AcmeGuest, pw {}",
    "Login: bob / {}",
    "net user bob {} /add",
    "the password's {}",
    "password is now {} (was rotated)",
    "pw={}",
    "openssl enc -aes-256-cbc -pass pass:{} -in a",
];

/// Sentences that tell a password; the second is what it is.
fn told() -> Vec<(String, String)> {
    let passwords = STRONG.iter().cycle();
    let tell = |(sentence, value): (&&str, &&str)| (sentence.replace("{}", value), (*value).to_owned());
    TELLING.iter().zip(passwords).map(tell).collect()
}

/// Key words with a token that has no shape.
fn keyed(signs: &mut Signs) -> Vec<(String, String)> {
    let sentences = [
        "API_KEY={}",
        "api key: {}",
        "the api key is {}",
        "apiKey: \"{}\"",
        "\"client_secret\": \"{}\"",
        "client_secret = {}",
        "SECRET_KEY_BASE={}",
        "secret: {}",
        "JWT_SECRET='{}'",
        "access_token={}",
        "\"refresh_token\":\"{}\"",
        "token: {}",
        "my token is {}",
        "auth token {}",
        "Authorization: Bearer {}",
        "curl -H \"Authorization: Bearer {}\" https://acme.dev",
        "-H 'Authorization: token {}'",
        "X-Api-Key: {}",
        "x-auth-token: {}",
        "Cookie: session={}; theme=dark",
        "Set-Cookie: sid={}; HttpOnly",
        "https://acme.dev/api?access_token={}&page=2",
        "https://acme.dev/dl?token={}",
        "wss://acme.dev/live?key={}",
        "https://blob.acme.dev/x?sv=2022&sig={}",
        "MISTRAL_API_KEY={}",
        "cohere api key {}",
        "DATADOG_API_KEY={}",
        "vercel token: {}",
        "FASTLY_API_TOKEN={}",
        "CLOUDFLARE_API_TOKEN={}",
        "encryption key = {}",
        "signing_key: {}",
        "webhook secret is {}",
        "const token = '{}';",
        "--token {}",
        "--api-key={}",
        "//npm.acme.dev/:_authToken={}",
        "headers: {'x-api-key': '{}'}",
        "aws_secret_access_key = {}",
        "AccountKey={}",
        "ENCRYPTION_KEY: {}",
        "master key: {}",
        "{} is the api token",
        "private_token={}",
        "license key is {}",
        "heroku api key: {}",
        "bot_token = \"{}\"",
        "DISCORD_TOKEN={}",
        "auth_token: '{}'",
        "bearer {}",
        "session_secret: \"{}\"",
        "SENTRY_AUTH_TOKEN={}",
    ];
    let value = |at: usize, signs: &mut Signs| match at % 4 {
        0 => signs.of(ALNUM, 32),
        1 => signs.of(HEX, 40),
        2 => signs.of(ALNUM, 24),
        _ => signs.of(LOW, 36),
    };
    sentences
        .iter()
        .enumerate()
        .map(|(at, sentence)| {
            let value = value(at, signs);
            (sentence.replace("{}", &value), value)
        })
        .collect()
}

fn block(kind: &str, signs: &mut Signs) -> String {
    let body: Vec<_> = (0..6).map(|_| signs.of(B64, 64)).collect();
    format!("-----BEGIN {kind}PRIVATE KEY-----\n{}\n-----END {kind}PRIVATE KEY-----", body.join("\n"))
}

fn jwt(signs: &mut Signs) -> String {
    let head = URL_SAFE_NO_PAD.encode(br#"{"alg":"HS256","typ":"JWT"}"#);
    let claims = URL_SAFE_NO_PAD.encode(format!(r#"{{"sub":"{}"}}"#, signs.of(DIGIT, 10)));
    format!("{head}.{claims}.{}", signs.of(ALNUM, 43))
}

/// Secrets that are hidden, broken or in blocks.
fn odd(signs: &mut Signs) -> Vec<(String, String)> {
    let mut odd = Vec::new();
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "] {
        let block = block(kind, signs);
        let line = block.lines().nth(2).unwrap_or_default().to_owned();
        odd.push((format!("here is the deploy one:\n{block}\nkeep it safe"), line.clone()));
        odd.push((format!("cut off in the log:\n{}", &block[..block.len() - 60]), line.clone()));
        odd.push((
            format!("{{\"type\":\"service_account\",\"private_key\":\"{}\\n\"}}", block.replace('\n', "\\n")),
            line,
        ));
    }
    let signed = jwt(signs);
    odd.push((format!("token from the browser: {signed}"), signed.clone()));
    odd.push((format!("Cookie: jwt={signed}"), signed.clone()));
    odd.push((format!("see {signed}, it is expired"), signed));
    for (_, _, parts) in MAKERS.iter().step_by(7) {
        let secret = made(parts, signs);
        odd.push((format!("it is {} in base64", STANDARD.encode(&secret)), STANDARD.encode(&secret)));
        odd.push((
            format!("echo {} | base64 -d", URL_SAFE_NO_PAD.encode(format!("token={secret}"))),
            URL_SAFE_NO_PAD.encode(format!("token={secret}")),
        ));
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        odd.push((format!("hexdump: {hex}"), hex));
        let (head, tail) = secret.split_at(secret.len() - 9);
        odd.push((format!("wrapped by the terminal:\n{head}\n{tail}\nsorry"), head.to_owned()));
        odd.push((format!("copied badly: {}\u{200b}{}", &secret[..6], &secret[6..]), secret[6..].to_owned()));
    }
    let basic = STANDARD.encode("bob:Tr0ub4dor&3");
    odd.push((format!("Authorization: Basic {basic}"), basic.clone()));
    odd.push((format!("header was 'Basic {basic}'"), basic));
    odd.push((
        "go to https://acme.dev/cb?next=%2Fin%3Fpassword%3DTr0ub4dor%263%26x%3D1".to_owned(),
        "Tr0ub4dor".to_owned(),
    ));
    odd.push(("data: cGFzc3dvcmQ9VHIwdWI0ZG9yJjM=".to_owned(), "cGFzc3dvcmQ9VHIwdWI0ZG9yJjM".to_owned()));
    for (text, secret) in [
        ("my pin is 4711", "4711"),
        ("PIN: 83920", "83920"),
        ("your verification code is 482913", "482913"),
        ("OTP: 993211", "993211"),
        ("2FA code: 118 204", "118"),
        ("door code is 4812#", "4812"),
        ("the wifi password is swordfish", "swordfish"),
        ("passphrase: \"correct horse battery staple\"", "battery"),
        ("POSTGRES_PASSWORD=elephant", "elephant"),
        ("backup code: 8f3k-92kd", "8f3k"),
        ("root:$6$rounds=5000$abcdefgh$Zk3Xv9Qm1Lw8Yt5Rr2Pn7Bc4Vd6Fg0Hj:19000:0:99999", "Zk3Xv9Qm1Lw8"),
        ("seed phrase: abandon ability able about above absent absorb abstract absurd abuse access accident", "absorb"),
    ] {
        odd.push((text.to_owned(), secret.to_owned()));
    }
    let (id, key) = (made(MAKERS[0].2, signs), signs.of(B64, 40));
    odd.push((format!("{id}\n{key}"), key.clone()));
    odd.push((format!("keys for s3: {id} / {key}"), key.clone()));
    odd.push((format!("[default]\naws_access_key_id = {id}\naws_secret_access_key = {key}"), key));
    odd
}

/// Personal data.
const PERSONAL: &[(&str, &str)] = &[
    ("my card is 4111 1111 1111 1111 exp 09/27", "4111 1111 1111 1111"),
    ("card 5500-0000-0000-0004", "5500-0000-0000-0004"),
    ("amex 378282246310005", "378282246310005"),
    ("4012888888881881 is on file", "4012888888881881"),
    ("cvv: 737", "737"),
    ("IBAN DE89 3704 0044 0532 0130 00", "0532 0130 00"),
    ("please pay to GB29NWBK60161331926819", "GB29NWBK60161331926819"),
    ("NL91ABNA0417164300 thanks", "NL91ABNA0417164300"),
    ("FR14 2004 1010 0505 0001 3M02 606", "0505 0001"),
    ("write to jane.doe@acme.dev", "jane.doe@acme.dev"),
    ("cc: Bob <bob+lists@mail.example.org>", "bob+lists@mail.example.org"),
    ("mailto:sales@acme.co.uk", "sales@acme.co.uk"),
    ("jane (at) acme (dot) dev", "jane (at)"),
    ("jürgen@müller.de is out", "jürgen@müller.de"),
    ("call me at +49 171 2345678", "2345678"),
    ("+1 (415) 555-2671", "555-2671"),
    ("ring (415) 555-2671 after 5", "555-2671"),
    ("415-555-2671", "555-2671"),
    ("Tel.: 030/12345678", "12345678"),
    ("mobile 07911 123456", "123456"),
    ("tel 06 12 34 56 78", "34 56"),
    ("+442079460958", "442079460958"),
    ("whatsapp: 0171 2345678", "2345678"),
    ("phone: 5552671234", "5552671234"),
    ("+33 6 12 34 56 78 is mine", "34 56"),
    ("banned 84.23.112.9 for now", "84.23.112.9"),
    ("ssh root@51.15.20.77", "51.15.20.77"),
    ("client 203.0.113.42:51234 hung up", "203.0.113.42"),
    ("the printer is at 192.168.1.50", "192.168.1.50"),
    ("from 2001:db8:85a3::8a2e:370:7334", "2001:db8:85a3"),
    ("http://10.20.30.40:8080/health", "10.20.30.40"),
    ("fe80::1ff:fe23:4567:890a answered", "fe80::1ff"),
    ("mac 3c:22:fb:a1:b2:c3", "3c:22:fb:a1:b2:c3"),
    ("SSN 123-45-6789", "123-45-6789"),
    ("my social security number is 078-05-1120", "078-05-1120"),
    ("CPF 529.982.247-25", "529.982.247-25"),
    ("AHV 756.9217.0769.85", "756.9217.0769.85"),
    ("passport number: C01X00T47", "C01X00T47"),
    ("Reisepass Nr. L01X00T471", "L01X00T471"),
    ("Steuer-ID: 86 095 742 719", "742 719"),
    ("DNI: 12345678Z", "12345678Z"),
    ("NINO AB 12 34 56 C", "12 34 56"),
    ("date of birth: 12.03.1987", "12.03.1987"),
    ("born on March 4, 1990 in Oslo", "March 4, 1990"),
    ("dob 1985-07-21", "1985-07-21"),
    ("I live at 221 Baker Street", "221 Baker Street"),
    ("742 Evergreen Terrace, Springfield, OR 97477", "742 Evergreen"),
    ("Hauptstraße 12, 10115 Berlin", "Hauptstraße 12"),
    ("gps: 52.520008, 13.404954", "52.520008"),
    ("lat=48.85661 lon=2.35222", "48.85661"),
];

/// All of them.
pub fn positives() -> Vec<Positive> {
    let mut signs = Signs::new(7);
    let mut all = Vec::new();
    for (at, (_, _, parts)) in MAKERS.iter().enumerate() {
        for turn in 0..3 {
            let secret = made(parts, &mut signs);
            all.push(Positive {
                text: AROUND[(at * 3 + turn * 5) % AROUND.len()].replace("{}", &secret),
                secrets: vec![secret],
                group: "provider",
            });
        }
    }
    let mut add = |cases: Vec<(String, String)>, group| {
        all.extend(cases.into_iter().map(|(text, secret)| Positive { text, secrets: vec![secret], group }))
    };
    add(told(), "password");
    add(keyed(&mut signs), "key word");
    add(odd(&mut signs), "hidden or broken");
    add(PERSONAL.iter().map(|(text, secret)| ((*text).to_owned(), (*secret).to_owned())).collect(), "personal");
    add(UNSEEN.iter().map(|(text, secret)| ((*text).to_owned(), (*secret).to_owned())).collect(), "written later");
    all.extend(batches::positives());
    all
}
