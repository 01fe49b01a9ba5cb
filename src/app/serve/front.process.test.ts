import { expect, it } from 'vitest';
import { serverHouse } from '../../../test/support/server-house.ts';
import { VERSION } from '../version.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

it('shows a browser at its address what this is and how to sign in, and nothing that acts', async () => {
  await using place = await serverHouse();
  const { status, headers, text } = await place.ask('/', { headers: BROWSER });
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  );
  expect(text).toContain(`Fleet ${VERSION} runs on this machine`);
  expect(text).toContain('<code>fleet login</code>');
  expect(text).toMatch(/<html lang="en">.*<meta name="viewport".*<title>Fleet<\/title>.*<main><h1>/s);
  expect(text).not.toMatch(/<script|<style|\son\w+=|\sstyle=|javascript:/i);
  expect(text).not.toContain(place.directory);
  const links = [...text.matchAll(/href="([^"]+)"/g)].map((match) => match[1] ?? '');
  for (const link of links) expect([link, (await place.ask(link, { headers: BROWSER })).status]).toEqual([link, 200]);
  expect(links).toContain('/docs');
});

it('tells a program there what it tells it everywhere', async () => {
  await using place = await serverHouse();
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
    expect(await place.ask('/', { headers })).toMatchObject({ status: 401, json: { code: 'unauthenticated' } });
    const known = await place.ask('/', { headers, token: place.admin });
    expect(known).toMatchObject({ status: 404, json: { code: 'not_found', detail: 'nothing is at GET /' } });
    expect(known.headers['content-type']).toBe('application/problem+json');
  }
});
