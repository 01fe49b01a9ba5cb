import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { contract } from '../../contract/index.ts';
import { openApi } from './openapi.ts';

const document = openApi('1.2.3') as {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; responses: object }>>;
  components: { schemas: object };
};

describe('the OpenAPI document', () => {
  it('is valid for a validator that is not ours [API-03]', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('forgets no operation and invents none [API-01]', () => {
    const described = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    expect(described.toSorted()).toEqual([...contract.map(({ name }) => name), 'live.follow'].toSorted());
    expect(document.paths['/v1/live']?.['get']?.operationId).toBe('live.follow');
  });

  it('names what recurs once', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Problem', 'Task', 'Project', 'Run', 'Question', 'Token', 'Entry']),
    );
    expect(JSON.stringify(document)).not.toContain('$defs');
    expect(JSON.stringify(document).length).toBeLessThan(300_000);
  });
});
