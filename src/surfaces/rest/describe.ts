import type { Web } from '../http/web.ts';
import { DOCS_STYLE, docsPage } from './docs-page.ts';
import { openApi } from './openapi.ts';

/** The description of the interface, for programs and for people. It tells nothing of this fleet, so it needs no token. */
export function mountDescription(web: Web, version: string): void {
  let made: { json: string; page: string } | undefined;
  const description = () => {
    if (!made) {
      const document = openApi(version);
      made = { json: JSON.stringify(document), page: docsPage(document) };
    }
    return made;
  };
  const kept = { 'cache-control': 'public, max-age=300' };
  web.get('/openapi.json', (asked) => asked.body(description().json, 200, { 'content-type': 'application/json', ...kept }));
  web.get('/docs', (asked) =>
    asked.body(description().page, 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'",
      ...kept,
    }),
  );
  web.get('/docs/style.css', (asked) => asked.body(DOCS_STYLE, 200, { 'content-type': 'text/css; charset=utf-8', ...kept }));
}
