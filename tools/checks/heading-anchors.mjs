/** GitHub makes an anchor in lower case, without punctuation, with dashes for spaces. */
export function headingAnchors(text) {
  const headings = [...withoutCode(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map(([, heading]) => heading);
  return new Set(headings.map((heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-'))); // prettier-ignore
}

export const withoutCode = (text) => text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '');
