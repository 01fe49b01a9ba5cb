import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliHouse } from '../support/cli-house.ts';
import { serverHouse } from '../support/server-house.ts';

const opens = 200;
const shut = 401;

describe('an attacker whose token was revoked', () => {
  it('does not get in again when a backup from before that is restored [T5]', async () => {
    await using place = await serverHouse();
    const { house } = place;
    const make = async (name: string) => house.call('token.create', { name, role: 'monitor' });
    const ask = async (token: string) => (await place.ask('/v1/tasks', { token })).status;
    const [revoked, kept] = [await make('thief'), await make('honest')];
    const link = await house.call('token.link', {});
    const { file } = await house.call('db.backup', {});
    await house.call('token.revoke', { id: revoked.id });
    const later = await make('made later');
    expect([await ask(revoked.token), await ask(kept.token), await ask(later.token)]).toEqual([shut, opens, opens]);

    const told = await house.call('db.restore', { file });
    expect(told.tokens).toEqual({ revoked: 1, gone: 1 });
    expect([await ask(revoked.token), await ask(kept.token), await ask(later.token)]).toEqual([shut, opens, shut]);
    expect((await place.ask('/v1/tokens', { token: place.admin })).status).toBe(opens);
    expect((await place.ask('/v1/login', { method: 'POST', body: { code: link.code } })).status).toBe(shut);
    const found = (await house.call('token.list', { all: true })).items.find(({ id }) => id === revoked.id);
    expect(found?.revokedAt).toBeDefined();
  });

  it('does not get in by a backup where nobody can tell what was revoked since: of a lost database, in another home [T5]', async () => {
    await using house = await cliHouse();
    const json = async (...words: string[]) => (await house.ok([...words, '--json'])).json<Record<string, string>>();
    await house.ok(['init']);
    const { id = '', token = '' } = await json('token', 'create', 'thief', '--role', 'monitor');
    const { file = '' } = await json('db', 'backup', join(house.directory, 'copy.db'));
    await house.ok(['token', 'revoke', id]);
    await writeFile(join(house.home, 'fleet.db'), 'rubbish');
    const said = (await house.ok(['db', 'restore', file])).out;
    expect(said).toContain('1 token');
    expect((await house.ok(['token', 'list'])).out).not.toContain('thief');
    expect(token).not.toBe('');
    const elsewhere = { env: { FLEET_HOME: join(house.directory, 'elsewhere') } };
    await house.ok(['init'], elsewhere);
    await house.ok(['db', 'restore', file], elsewhere);
    expect((await house.ok(['token', 'list'], elsewhere)).out).not.toContain('thief');
  });
});
