// Keeps the status in the bar true, and makes the examples fit this address.
'use strict';

const CHECK_EVERY_MS = 10_000;
const CHECK_TIMEOUT_MS = 5_000;
const COPIED_SHOWN_MS = 1_500;

const STATES = {
  ready: 'Running',
  waiting: 'Running, not ready yet',
  lost: 'No answer. Look at the terminal.',
};

async function askState() {
  try {
    const answer = await fetch('/ready', { cache: 'no-store', signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
    return answer.ok ? 'ready' : 'waiting';
  } catch {
    return 'lost';
  }
}

function showState(status, state) {
  // A live region speaks on every write, so write only what is new.
  if (status.textContent !== STATES[state]) status.textContent = STATES[state];
  status.dataset.state = state;
}

async function watchState(status) {
  if (!document.hidden) showState(status, await askState());
  setTimeout(watchState, CHECK_EVERY_MS, status);
}

function addCopyButton(pre) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => copy(pre.textContent, button));
  const snippet = document.createElement('div');
  snippet.className = 'snippet';
  pre.replaceWith(snippet);
  snippet.append(pre, button);
}

async function copy(text, button) {
  await navigator.clipboard.writeText(text);
  button.textContent = 'Copied';
  setTimeout(() => (button.textContent = 'Copy'), COPIED_SHOWN_MS);
}

for (const place of document.querySelectorAll('[data-origin]')) place.textContent = location.origin;
// Browsers offer the clipboard on this machine and over TLS only.
if (navigator.clipboard) document.querySelectorAll('pre').forEach(addCopyButton);
watchState(document.getElementById('status'));
