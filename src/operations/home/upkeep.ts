/** What an older database does to tokens. */
interface TokensLost {
  /** They opened nothing any more, or that cannot be told. */
  readonly revoked: number;
  /** They were made after the backup. */
  readonly gone: number;
}

/** The care of the database itself. */
export interface Upkeep {
  migrate(): Promise<{ file: string; schema: number }>;
  check(): Promise<{ file: string; ok: boolean; rows: number; findings: string[]; advice?: string }>;
  backup(target: string | undefined): Promise<{ file: string; bytes: number; blobs: number }>;
  restore(source: string): Promise<{ file: string; kept?: string; rows: number; tokens: TokensLost }>;
  accept(): Promise<{ file: string; rows: number; lostCommits: number; tokens: TokensLost }>;
  export(target: string): Promise<{ file: string; rows: number }>;
  prune(olderThanDays: number, dryRun: boolean): Promise<{ tasks: number; requests: number; blobs: number }>;
}
