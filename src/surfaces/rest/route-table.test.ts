import { describe, expect, it } from 'vitest';
import { contract } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { routeOf } from '../../wire/route.ts';
import { routeTable } from './route-table.ts';

const operations: readonly Operation[] = contract;
const routes = operations.map((operation) => routeOf(operation));
const find = routeTable(routes.map((route) => ({ method: route.method, path: route.path, value: route.operation })));

describe('the table of routes', () => {
  it('finds every operation of the contract at its own route', () => {
    const asked = routes.map(({ method, path }) => find(method, `${path.replace(/\{\w+\}/, 'x%2Fy')}?limit=1`));
    expect(asked.map((found) => found?.value)).toEqual(routes.map(({ operation }) => operation));
    expect(asked.map((found) => found?.subject)).toEqual(
      routes.map(({ subject }) => (subject === undefined ? undefined : 'x/y')),
    );
  });

  it('prefers a fixed word to a place', () => {
    expect(find('GET', '/v1/tasks/ready')?.value).toBe('task.ready');
    expect(find('GET', '/v1/tasks/readi')).toEqual({ value: 'task.show', subject: 'readi', path: '/v1/tasks/readi' });
  });

  it.each([
    ['/v1/projects/my%20shop', 'my shop'],
    ['/v1/projects/100%25', '100%'],
    ['/v1/projects/caf%C3%A9?x=/v1/tasks', 'café'],
    ['/v1/projects/%ZZ', '%ZZ'],
    ['http://127.0.0.1:1/v1/projects/shop#part', 'shop'],
  ])('decodes the place of %s', (url, subject) => expect(find('GET', url)).toMatchObject({ value: 'project.show', subject }));

  it.each(['/v1/tasks/', '/v1//x', '/v1/tasks/x/nothing', '/v1/tasks/x/y/z', '/v2/tasks', '/', '', '*', '//v1/tasks'])(
    'finds nothing at %s',
    (url) => expect(find('GET', url)).toBeUndefined(),
  );

  it('finds nothing by another method', () => {
    expect(find('PUT', '/v1/tasks')).toBeUndefined();
    expect(find('PATCH', '/v1/tasks')).toBeUndefined();
  });
});
