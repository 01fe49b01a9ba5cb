import { Fault } from '../../domain/fault.ts';
import { callerOf } from './admission.ts';
import type { Web, WebContext, WebDeps } from './web.ts';

/** What a person sees who opens the address of the server in a browser. Programs are told what they were told before: nothing is there. */
export function mountFront(web: Web, needs: Pick<WebDeps, 'identify' | 'version'>): void {
  const page = PAGE.replace('{version}', needs.version);
  web.get('/', async (asked) => {
    if (wantsPage(asked))
      return asked.body(page, 200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        vary: 'accept',
      });
    const { authorization, 'fleet-as': as } = asked.env.incoming.headers;
    await callerOf(authorization, as, needs);
    throw new Fault('not_found', 'nothing is at GET /', { hint: 'what can be asked is described at /openapi.json' });
  });
}

/** A browser names HTML; a program that takes anything (`*\/*`) wants no page. */
const wantsPage = (asked: WebContext): boolean => /\btext\/html\b/i.test(asked.req.header('accept') ?? '');

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Fleet</title><link rel="stylesheet" href="/docs/style.css"></head>
<body><main><h1>Fleet</h1>
<p>Fleet {version} runs on this machine. It has AI coding agents work on your repositories, each in a worktree of its own, proves what they
claim with your project's own tests, and lands what is proved.</p>
<h2>Sign in</h2>
<p>In a terminal on the machine where Fleet runs, type</p>
<pre tabindex="0"><code>fleet login</code></pre>
<p>and open the link it prints. It is good once and for a short time. Tokens for programs are made by <code>fleet token create</code>.</p>
<h2>Work with it</h2>
<p>There is no board in the browser yet. In a terminal, in a repository of yours:</p>
<pre tabindex="0"><code>fleet doctor
fleet project add . --verify 'npm test'
fleet task create --prompt 'Write the parser'
fleet status</code></pre>
<p>Your own agent can hand in work too: <code>claude mcp add fleet -- fleet mcp</code></p>
<h2>For programs</h2>
<ul><li><a href="/docs">What can be asked of Fleet over HTTP</a></li>
<li><a href="/openapi.json">The same as OpenAPI</a></li>
<li><a href="/health">Whether it is well</a></li></ul>
</main></body></html>
`;
