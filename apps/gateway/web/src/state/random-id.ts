/** 128 random bits as hex. `crypto.randomUUID` is missing where the page is reached by plain HTTP in a LAN. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
