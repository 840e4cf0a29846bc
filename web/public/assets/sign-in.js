// Signs a person in: with the code after the # of a link, or with name and password.
'use strict';

const WRONG_PASSWORD = 'Wrong name or password.';
const DEAD_LINK = 'This link was already used or has expired. Ask for a new one, or sign in with your password.';

const [problem, busy, hint] = ['problem', 'busy', 'hint'].map((id) => document.getElementById(id));
const [byPassword, byLink] = ['by-password', 'by-link'].map((id) => document.getElementById(id));

/** Removes the code from the address at once: it must not stay in the history or on the screen. */
function takeCode() {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (location.hash) history.replaceState(null, '', location.pathname);
  return code;
}

/** Shows one of the forms, or a progress message. */
function show(part) {
  for (const one of [byPassword, byLink, busy]) one.hidden = one !== part;
  hint.hidden = part !== byPassword;
}

async function signIn(body, refused, form) {
  problem.textContent = '';
  show(busy);
  const answer = await request('POST', '/sign-in', body);
  if (answer.ok) return location.replace('/');
  show(form);
  problem.textContent = answer.status === 401 ? refused : explain(answer);
  const field = document.getElementById('password');
  field.value = '';
  (form.elements.name.value ? field : form.elements.name).focus();
}

async function followLink(code) {
  show(busy);
  const me = await request('GET', '/me');
  if (!me.ok) return signIn({ code }, DEAD_LINK, byPassword);
  // Following a link never replaces an existing session: somebody else may have sent the link.
  document.getElementById('present').textContent = me.json.name;
  show(byLink);
  byLink.querySelector('button').focus();
  byLink.onsubmit = (event) => {
    event.preventDefault();
    signIn({ code }, DEAD_LINK, byPassword);
  };
}

byPassword.addEventListener('submit', (event) => {
  event.preventDefault();
  const { name, password } = byPassword.elements;
  signIn({ name: name.value, password: password.value }, WRONG_PASSWORD, byPassword);
});

function begin() {
  const code = takeCode();
  if (code) followLink(code);
}

// Opening a second link in the same tab changes only the fragment.
addEventListener('hashchange', begin);
begin();
