interface Aside {
  readonly path: string;
  readonly aside?: { readonly path?: string | undefined } | undefined;
}

/** Where the files of a workspace are, also after it was put aside. */
export const asidePath = ({ aside, path }: Aside): string => aside?.path ?? path;
