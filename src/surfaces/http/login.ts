import { Fault } from '../../domain/fault.ts';
import { jsonBody } from './body.ts';
import type { Web, WebDeps } from './web.ts';

/** A code in the fragment of an address reaches no server, no log and no Referer: the page itself exchanges it for a token. */
export function mountLogin(web: Web, { redeem, within }: Pick<WebDeps, 'redeem' | 'within'>): void {
  web.post('/v1/login', async (asked) => {
    try {
      return asked.json(await redeem(codeIn(await jsonBody(asked.env.incoming, LONGEST))));
    } catch (error) {
      // Only a code that is no good counts, in a bucket of its own: whoever guesses keeps nobody from signing in.
      within('login');
      throw error;
    }
  });
  web.get('/login', (asked) =>
    asked.body(PAGE, 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; frame-ancestors 'none'",
    }),
  );
  web.get('/login/login.js', (asked) => asked.body(SCRIPT, 200, { 'content-type': 'text/javascript; charset=utf-8' }));
}

/** A code and the JSON around it. */
const LONGEST = 1_024;

function codeIn({ code, ...rest }: Record<string, unknown>): string {
  if (typeof code === 'string' && code.length <= 200 && Object.keys(rest).length === 0) return code;
  throw new Fault('invalid', 'expected { "code": "…" }, the code of a link');
}

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Fleet: sign in</title><link rel="stylesheet" href="/docs/style.css"></head>
<body><main><h1>Fleet</h1><p id="said" role="status">Signing in …</p><p><a href="/docs">What can be asked of Fleet</a></p></main>
<script src="/login/login.js"></script></body></html>
`;

const SCRIPT = `'use strict';
(async () => {
  const said = document.getElementById('said');
  const code = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  if (code === '') { said.textContent = 'Run "fleet login" in a terminal and open the link it prints.'; return; }
  try {
    const answer = await fetch('/v1/login', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }),
    });
    const told = await answer.json();
    if (!answer.ok) { said.textContent = told.detail; return; }
    localStorage.setItem('fleet.token', told.token);
    said.textContent = 'You are signed in as ' + told.name + ' (' + told.role + ').';
  } catch (error) {
    said.textContent = 'The server cannot be reached: ' + error.message;
  }
})();
`;
