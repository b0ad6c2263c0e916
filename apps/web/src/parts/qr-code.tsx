/** A text as a QR code, for the camera of a phone. Its library is loaded when the first one is shown. */
import { type ReactElement, useEffect, useState } from "react";

export function QrCode({ text, label }: { text: string; label: string }): ReactElement | null {
  const [shown, setShown] = useState<{ text: string; path: string; size: number }>();
  useEffect(() => {
    let isWanted = true;
    void import("uqr").then(({ encode }) => {
      const { data, size } = encode(text, { ecc: "M", border: 2 });
      const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
      if (isWanted) setShown({ text, path, size });
    });
    return () => {
      isWanted = false;
    };
  }, [text]);
  if (shown?.text !== text) return null;
  return (
    <svg className="qr-code" viewBox={`0 0 ${shown.size} ${shown.size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <title>{label}</title>
      <rect width={shown.size} height={shown.size} fill="#fff" />
      <path d={shown.path} fill="#000" />
    </svg>
  );
}
