//! Makes up secrets from parts, so that no file holds one.

/// A source of signs that is the same each time.
pub struct Signs(u64);

pub const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub const CAPS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
pub const HEX: &str = "0123456789abcdef";
pub const LOW: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
pub const B64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub const DIGIT: &str = "0123456789";

impl Signs {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// So many signs of an alphabet.
    pub fn of(&mut self, alphabet: &str, len: usize) -> String {
        let signs = alphabet.as_bytes();
        (0..len).map(|_| char::from(signs[(self.next() >> 20) as usize % signs.len()])).collect()
    }

    pub fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|len| self.of(HEX, len)).join("-")
    }
}

/// A part of a secret: a fixed text, or so many signs of an alphabet.
#[derive(Clone, Copy)]
pub enum Part {
    Text(&'static str),
    Some(&'static str, usize),
    Uuid,
}

use Part::{Some as S, Text as T, Uuid};

/// What providers give out: a name, its kind, and its parts. Fixed parts are cut so that no scanner takes them for one.
pub const MAKERS: &[(&str, &str, &[Part])] = &[
    ("AWS key id", "aws-key", &[T("AK"), T("IA"), S(UPPER, 16)]),
    ("temporary AWS key id", "aws-key", &[T("AS"), T("IA"), S(UPPER, 16)]),
    ("GitHub token", "github-token", &[T("gh"), T("p_"), S(ALNUM, 36)]),
    ("GitHub OAuth token", "github-token", &[T("gh"), T("o_"), S(ALNUM, 36)]),
    ("GitHub user token", "github-token", &[T("gh"), T("u_"), S(ALNUM, 36)]),
    ("GitHub app token", "github-token", &[T("gh"), T("s_"), S(ALNUM, 36)]),
    ("GitHub refresh token", "github-token", &[T("gh"), T("r_"), S(ALNUM, 76)]),
    ("fine-grained GitHub token", "github-token", &[T("github"), T("_pat_"), S(ALNUM, 22), T("_"), S(ALNUM, 59)]),
    ("GitLab token", "gitlab-token", &[T("gl"), T("pat-"), S(ALNUM, 20)]),
    ("GitLab deploy token", "gitlab-token", &[T("gl"), T("dt-"), S(ALNUM, 20)]),
    ("GitLab runner token", "gitlab-token", &[T("gl"), T("rt-"), S(ALNUM, 20)]),
    ("Slack bot token", "slack-token", &[T("xo"), T("xb-"), S(DIGIT, 12), T("-"), S(DIGIT, 12), T("-"), S(ALNUM, 24)]),
    ("Slack user token", "slack-token", &[T("xo"), T("xp-"), S(DIGIT, 12), T("-"), S(DIGIT, 12), T("-"), S(HEX, 32)]),
    ("Slack app token", "slack-token", &[T("xa"), T("pp-1-"), S(CAPS, 11), T("-"), S(DIGIT, 13), T("-"), S(HEX, 64)]),
    (
        "Slack webhook",
        "webhook",
        &[
            T("https://hooks."),
            T("slack.com/ser"),
            T("vices/T"),
            S(CAPS, 10),
            T("/B"),
            S(CAPS, 10),
            T("/"),
            S(ALNUM, 24),
        ],
    ),
    (
        "Discord webhook",
        "webhook",
        &[T("https://dis"), T("cord.com/api/web"), T("hooks/"), S(DIGIT, 18), T("/"), S(ALNUM, 68)],
    ),
    ("Discord token", "discord-token", &[T("MT"), S(ALNUM, 22), T("."), S(ALNUM, 6), T("."), S(ALNUM, 38)]),
    ("Telegram token", "telegram-token", &[T("7"), S(DIGIT, 9), T(":A"), T("A"), S(ALNUM, 33)]),
    ("Stripe key", "stripe-key", &[T("sk_"), T("live_"), S(ALNUM, 24)]),
    ("Stripe test key", "stripe-key", &[T("sk_"), T("test_"), S(ALNUM, 24)]),
    ("restricted Stripe key", "stripe-key", &[T("rk_"), T("live_"), S(ALNUM, 24)]),
    ("Stripe signing secret", "stripe-key", &[T("whs"), T("ec_"), S(ALNUM, 32)]),
    ("Twilio key", "twilio-key", &[T("S"), T("K"), S(HEX, 32)]),
    ("SendGrid key", "sendgrid-key", &[T("S"), T("G."), S(ALNUM, 22), T("."), S(ALNUM, 43)]),
    ("Mailgun key", "mailgun-key", &[T("ke"), T("y-"), S(HEX, 32)]),
    ("Mailchimp key", "mailchimp-key", &[S(HEX, 32), T("-u"), T("s12")]),
    ("npm token", "npm-token", &[T("np"), T("m_"), S(ALNUM, 36)]),
    ("PyPI token", "pypi-token", &[T("py"), T("pi-AgEIcHlwaS5vcmc"), S(ALNUM, 90)]),
    ("RubyGems key", "rubygems-key", &[T("ruby"), T("gems_"), S(HEX, 48)]),
    ("crates.io token", "crates-token", &[T("ci"), T("o"), S(ALNUM, 32)]),
    ("Docker token", "docker-token", &[T("dckr"), T("_pat_"), S(ALNUM, 27)]),
    ("Google key", "google-key", &[T("AI"), T("za"), S(ALNUM, 35)]),
    ("Google access token", "google-token", &[T("ya"), T("29."), S(ALNUM, 60)]),
    ("Google client secret", "google-token", &[T("GOC"), T("SPX-"), S(ALNUM, 28)]),
    ("DigitalOcean token", "digitalocean-token", &[T("dop"), T("_v1_"), S(HEX, 64)]),
    ("Vault token", "vault-token", &[T("hv"), T("s."), S(ALNUM, 24)]),
    ("Vault batch token", "vault-token", &[T("hv"), T("b."), S(ALNUM, 100)]),
    ("Databricks token", "databricks-token", &[T("da"), T("pi"), S(HEX, 32)]),
    ("Doppler token", "doppler-token", &[T("dp"), T(".pt."), S(ALNUM, 43)]),
    ("Notion token", "notion-token", &[T("nt"), T("n_"), S(ALNUM, 46)]),
    ("old Notion token", "notion-token", &[T("sec"), T("ret_"), S(ALNUM, 43)]),
    ("Linear key", "linear-key", &[T("lin"), T("_api_"), S(ALNUM, 40)]),
    ("Airtable token", "airtable-token", &[T("pa"), T("t"), S(ALNUM, 14), T("."), S(HEX, 64)]),
    ("Figma token", "figma-token", &[T("fi"), T("gd_"), S(ALNUM, 40)]),
    ("Postman key", "postman-key", &[T("PM"), T("AK-"), S(HEX, 24), T("-"), S(HEX, 34)]),
    ("Atlassian token", "atlassian-token", &[T("ATA"), T("TT3"), S(ALNUM, 180)]),
    ("Dropbox token", "dropbox-token", &[T("s"), T("l."), S(ALNUM, 130)]),
    ("Shopify token", "shopify-token", &[T("shp"), T("at_"), S(HEX, 32)]),
    ("Square token", "square-token", &[T("sq0"), T("atp-"), S(ALNUM, 22)]),
    ("Plaid token", "plaid-key", &[T("access-"), T("production-"), Uuid]),
    ("OpenAI key", "openai-key", &[T("s"), T("k-"), S(ALNUM, 48)]),
    ("OpenAI project key", "openai-key", &[T("sk"), T("-proj-"), S(ALNUM, 74), T("_"), S(ALNUM, 40)]),
    ("Anthropic key", "anthropic-key", &[T("sk"), T("-ant-"), T("api03-"), S(ALNUM, 93), T("AA")]),
    ("Hugging Face token", "huggingface-token", &[T("h"), T("f_"), S(ALNUM, 34)]),
    ("Replicate token", "replicate-token", &[T("r"), T("8_"), S(ALNUM, 37)]),
    ("Groq key", "groq-key", &[T("gs"), T("k_"), S(ALNUM, 52)]),
    ("xAI key", "xai-key", &[T("xa"), T("i-"), S(ALNUM, 80)]),
    ("Perplexity key", "perplexity-key", &[T("pp"), T("lx-"), S(ALNUM, 48)]),
    ("LangSmith key", "langsmith-key", &[T("lsv2"), T("_pt_"), S(HEX, 32), T("_"), S(HEX, 10)]),
    ("Pinecone key", "pinecone-key", &[T("pc"), T("sk_"), S(ALNUM, 6), T("_"), S(ALNUM, 63)]),
    ("OpenRouter key", "openrouter-key", &[T("sk"), T("-or-"), T("v1-"), S(HEX, 64)]),
    ("Sentry token", "sentry-token", &[T("sntr"), T("ys_"), S(ALNUM, 80)]),
    ("New Relic key", "newrelic-key", &[T("NR"), T("AK-"), S(CAPS, 27)]),
    ("Grafana token", "grafana-token", &[T("gl"), T("sa_"), S(ALNUM, 32), T("_"), S(HEX, 8)]),
    ("Grafana cloud token", "grafana-token", &[T("gl"), T("c_"), S(ALNUM, 60)]),
    ("PlanetScale password", "planetscale-token", &[T("psc"), T("ale_pw_"), S(ALNUM, 43)]),
    ("Supabase token", "supabase-key", &[T("sb"), T("p_"), S(HEX, 40)]),
    ("Tailscale key", "tailscale-key", &[T("ts"), T("key-auth-"), S(ALNUM, 12), T("-"), S(ALNUM, 32)]),
    ("Netlify token", "netlify-token", &[T("nf"), T("p_"), S(ALNUM, 36)]),
    ("age key", "age-key", &[T("AGE-SEC"), T("RET-KEY-1"), S(CAPS, 58)]),
    ("Parlour token", "parlour-token", &[T("par"), T("lour_"), S(HEX, 64)]),
    ("Parlour invite", "parlour-token", &[T("par"), T("lour_inv_"), S(HEX, 64)]),
    ("Parlour session", "parlour-token", &[T("par"), T("lour_ses_"), S(HEX, 64)]),
    ("Bitbucket password", "bitbucket-token", &[T("AT"), T("BB"), S(ALNUM, 32)]),
    ("Sonar token", "sonar-token", &[T("sq"), T("p_"), S(HEX, 40)]),
    ("Buildkite token", "buildkite-token", &[T("bk"), T("ua_"), S(HEX, 40)]),
    ("HubSpot token", "hubspot-token", &[T("pat-"), T("na1-"), Uuid]),
    ("Brevo key", "brevo-key", &[T("xkey"), T("sib-"), S(HEX, 64), T("-"), S(ALNUM, 16)]),
    ("Dynatrace token", "dynatrace-token", &[T("dt0"), T("c01."), S(UPPER, 24), T("."), S(UPPER, 64)]),
    ("PostHog key", "posthog-key", &[T("ph"), T("x_"), S(ALNUM, 43)]),
    ("NVIDIA key", "nvidia-key", &[T("nv"), T("api-"), S(ALNUM, 64)]),
    ("Tavily key", "tavily-key", &[T("tv"), T("ly-"), S(ALNUM, 32)]),
    ("Fly token", "flyio-token", &[T("fm"), T("2_"), S(B64, 120)]),
    ("Pulumi token", "pulumi-token", &[T("pu"), T("l-"), S(HEX, 40)]),
    ("Alibaba key", "alibaba-key", &[T("LT"), T("AI5t"), S(ALNUM, 20)]),
    ("CircleCI token", "circleci-token", &[T("cci"), T("pat_"), S(ALNUM, 22), T("_"), S(HEX, 40)]),
    ("Razorpay key", "razorpay-key", &[T("rzp"), T("_live_"), S(ALNUM, 14)]),
    ("Contentful token", "contentful-token", &[T("CF"), T("PAT-"), S(ALNUM, 43)]),
    ("Azure client secret", "azure-key", &[S(ALNUM, 3), T("8Q"), T("~"), S(ALNUM, 34)]),
    ("Linode-like Terraform token", "vault-token", &[S(ALNUM, 14), T(".atlas"), T("v1."), S(ALNUM, 67)]),
    ("Cerebras key", "cerebras-key", &[T("cs"), T("k-"), S(LOW, 48)]),
    ("Aiven password", "aiven-password", &[T("AV"), T("NS_"), S(ALNUM, 19)]),
    ("Astra token", "astra-token", &[T("Astra"), T("CS:"), S(ALNUM, 24), T(":"), S(HEX, 64)]),
    ("CockroachDB key", "cockroach-key", &[T("CC"), T("DB1_"), S(ALNUM, 22), T("_"), S(ALNUM, 40)]),
    ("Neon key", "neon-key", &[T("na"), T("pi_"), S(LOW, 64)]),
    ("DNSimple token", "dnsimple-token", &[T("dn"), T("simple_a_"), S(ALNUM, 32)]),
    ("NetBird token", "netbird-token", &[T("nb"), T("p_"), S(ALNUM, 36)]),
    ("Docker swarm token", "docker-token", &[T("SWM"), T("TKN-1-"), S(LOW, 50), T("-"), S(LOW, 25)]),
    ("Harness token", "harness-token", &[T("pat."), S(ALNUM, 22), T("."), S(HEX, 24), T("."), S(ALNUM, 20)]),
    ("Octopus key", "octopus-key", &[T("AP"), T("I-"), S(CAPS, 26), T("7")]),
    ("Open VSX token", "ovsx-token", &[T("ovsx"), T("p_"), S(ALNUM, 36)]),
    ("Axiom token", "axiom-token", &[T("xa"), T("at-"), Uuid]),
    ("Rootly key", "rootly-key", &[T("root"), T("ly_"), S(HEX, 64)]),
    ("Render key", "render-key", &[T("rn"), T("d_"), S(ALNUM, 32)]),
    ("Apify token", "apify-token", &[T("apify"), T("_api_"), S(ALNUM, 36)]),
    ("n8n key", "n8n-key", &[T("n8n"), T("_api_"), S(HEX, 40)]),
    ("E2B key", "e2b-key", &[T("e2"), T("b_"), S(HEX, 40)]),
    ("LlamaCloud key", "llamacloud-key", &[T("ll"), T("x-"), S(ALNUM, 48)]),
    ("Amazon client secret", "amazon-token", &[T("amzn1"), T(".oa2-cs.v1."), S(HEX, 64)]),
    ("MailerSend key", "mailersend-key", &[T("ml"), T("sn."), S(HEX, 64)]),
    ("Paddle key", "paddle-key", &[T("pd"), T("l_live_apikey_"), S(LOW, 26), T("_"), S(ALNUM, 22)]),
    ("Polar token", "polar-token", &[T("pol"), T("ar_oat_"), S(ALNUM, 40)]),
    ("PubNub key", "pubnub-key", &[T("se"), T("c-c-"), S(ALNUM, 48)]),
    ("Riot key", "riot-key", &[T("RG"), T("API-"), Uuid]),
    ("Trello token", "trello-token", &[T("AT"), T("TA"), S(HEX, 64)]),
    ("Twitch token", "twitch-token", &[T("oau"), T("th:"), S(LOW, 30)]),
    ("WooCommerce key", "woocommerce-key", &[T("c"), T("s_"), S(HEX, 40)]),
    ("Zoho token", "zoho-token", &[T("10"), T("00."), S(HEX, 32), T("."), S(HEX, 32)]),
    ("token of a maker without a row", "token", &[T("acme"), T("_secret_key_"), S(ALNUM, 32)]),
    ("live token of a maker without a row", "token", &[T("acme"), T("_live_"), S(ALNUM, 40)]),
];

/// One secret of a maker.
pub fn made(parts: &[Part], signs: &mut Signs) -> String {
    let one = |part: &Part| match part {
        T(text) => (*text).to_owned(),
        S(alphabet, len) => signs.of(alphabet, *len),
        Uuid => signs.uuid(),
    };
    parts.iter().map(one).collect()
}
