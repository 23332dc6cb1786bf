/**
 * Texts as bytes and back, losing nothing [JRN-12]: UTF-8, in which a lone surrogate is written as if it were any other
 * code point (WTF-8). SQLite's own texts would end at a NUL.
 */
export function bytesOfText(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isLone = code >= 0xd800 && code <= 0xdfff;
    parts.push(
      isLone
        ? Buffer.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f))
        : Buffer.from(character, 'utf8'),
    );
  }
  return Buffer.concat(parts);
}

export function textOfBytes(bytes: Uint8Array): string {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  let from = 0;
  // In UTF-8 the byte 0xed is followed by 0xa0 to 0xbf only where somebody wrote a surrogate.
  for (let at = view.indexOf(0xed); at >= 0; at = view.indexOf(0xed, at + 1)) {
    const [second = 0, third = 0] = [view[at + 1], view[at + 2]];
    if (second < 0xa0 || second > 0xbf) continue;
    parts.push(view.toString('utf8', from, at));
    parts.push(String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f)));
    from = at + 3;
  }
  return from === 0 ? view.toString('utf8') : parts.join('') + view.toString('utf8', from);
}
