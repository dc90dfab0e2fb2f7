import type { InputHTMLAttributes, ReactNode } from 'react';

type Input = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'>;
interface FieldProps extends Input {
  label: string;
  hint?: string;
  value: string;
  onText: (text: string) => void;
  /** It stands beside its label. */
  isInline?: boolean;
  [data: `data-${string}`]: unknown;
}

export function Field({ label, hint, value, onText, isInline, ...input }: FieldProps) {
  return (
    <label className={isInline ? 'inline' : undefined}>
      {label} {hint !== undefined && <small>{hint}</small>}
      <input
        autoComplete="off"
        spellCheck={false}
        {...input}
        value={value}
        onChange={({ target }) => onText(target.value)}
      />
    </label>
  );
}

interface ChoiceProps {
  label: ReactNode;
  value: string | undefined;
  of: Readonly<Record<string, string>>;
  onChoice: (value: string) => void;
  className?: string;
}

export function Choice({ label, value, of, onChoice, className }: ChoiceProps) {
  return (
    <label className={className}>
      {label}
      <select value={value} onChange={({ target }) => onChoice(target.value)}>
        {Object.entries(of).map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
