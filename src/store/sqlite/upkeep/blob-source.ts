/** The part of the run log that upkeep needs; the store room does not know the rest. */
export interface BlobSource {
  listBlobs(before: number): AsyncIterable<string>;
  getBlob(name: string): Promise<string>;
  putBlob(text: string): Promise<string>;
}
