/** What was thrown, as text; also where it has none (`throw Object.create(null)`). Never throws. */
export function errorText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'what was thrown has no text';
  }
}

/** Tells of something beside the work; that telling fails changes nothing of the work. */
export function tell(telling: () => void): void {
  try {
    telling();
  } catch {
    // There is nobody left to tell.
  }
}
