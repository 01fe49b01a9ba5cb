interface Component {
  readonly name: string;
  readonly version: string;
  readonly scope?: 'optional';
  readonly licenses?: readonly object[];
  readonly hashes?: readonly object[];
}

export function sbom(lock: unknown): { readonly components: readonly Component[] };
