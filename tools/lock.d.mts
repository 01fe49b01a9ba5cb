export function withLock<Result>(place: string, work: () => Result | Promise<Result>, onWait?: () => void): Promise<Result>;
