import { describe, expect, it } from 'vitest';
import { contract } from '../contract/index.ts';
import { requestFor } from './client.ts';
import { routeOf } from './route.ts';

const routes = contract.map(routeOf);

const raise = (name: string): never => {
  throw new Error(`no operation ${name}`);
};

describe('routes', () => {
  it('give every operation its own method and path [API-01]', () => {
    const places = routes.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(places).size).toBe(contract.length);
  });

  it('read as people expect', () => {
    const place = (name: string) => {
      const route = routes.find(({ operation }) => operation === name);
      return `${route?.method} ${route?.path}`;
    };
    expect(place('task.create')).toBe('POST /v1/tasks');
    expect(place('task.list')).toBe('GET /v1/tasks');
    expect(place('task.show')).toBe('GET /v1/tasks/{id}');
    expect(place('task.edit')).toBe('PATCH /v1/tasks/{id}');
    expect(place('task.delete')).toBe('DELETE /v1/tasks/{id}');
    expect(place('task.events')).toBe('GET /v1/tasks/{id}/events');
    expect(place('task.cancel')).toBe('POST /v1/tasks/{id}/cancel');
    expect(place('task.wait')).toBe('GET /v1/tasks/wait');
    expect(place('project.set')).toBe('PATCH /v1/projects/{project}');
    expect(place('executor.show')).toBe('GET /v1/executors/{executor}');
    expect(place('config.show')).toBe('GET /v1/config');
    expect(place('fleet.status')).toBe('GET /v1/status');
    expect(place('inbox.read')).toBe('POST /v1/inboxes/read');
    expect(place('db.backup')).toBe('POST /v1/db/backup');
  });

  it('put the subject in the path, and the other fields into query or body', () => {
    const route = routes.find(({ operation }) => operation === 'task.list');
    if (!route) throw new Error('no route');
    expect(requestFor(route, { state: ['queued', 'done'], limit: 3, tag: 'a b&c' }, {}).target).toBe(
      '/v1/tasks?state=queued&state=done&limit=3&tag=a+b%26c',
    );
    expect(() => requestFor(route, { nonsense: 1 }, {})).toThrow('nonsense: no such field');
  });

  it('use `own` in the path if the subject is left out', () => {
    const targetOf = (name: string, input: object) =>
      requestFor(routes.find(({ operation }) => operation === name) ?? raise(name), { ...input }, {}).target;
    expect(targetOf('run.context', {})).toBe('/v1/runs/own/context');
    expect(targetOf('run.context', { id: 'run_1' })).toBe('/v1/runs/run_1/context');
    expect(targetOf('task.review', {})).toBe('/v1/tasks/own/review');
  });
});
