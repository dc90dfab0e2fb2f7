package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Command is a record as it is published. Store it with the order first: a repeat is the same record, with the same id and time.
type Command struct {
	Topic, Key string
	Headers    map[string]string
	Value      []byte
}

func NewCommand(topic, kind, merchant, orderID string, data map[string]any) (Command, error) {
	value, err := json.Marshal(data)
	headers := map[string]string{
		"ce_specversion": "1.0",
		"ce_id":          rand.Text(),
		"ce_source":      "/shop/go",
		"ce_type":        kind,
		"ce_time":        time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		"content-type":   "application/json",
	}
	return Command{topic, merchant + "/" + orderID, headers, value}, err
}

// Signer has the Ed25519 key (d of its JWK) and the gateway's ENVIRONMENT_ID.
type Signer struct{ KID, Seed, EnvironmentID string }

// Sign returns the header tranche-signature: a detached JWS over everything that the gateway reads.
func (s Signer) Sign(command Command) (string, error) {
	seed, err := base64.RawURLEncoding.DecodeString(s.Seed)
	if err != nil || len(seed) != ed25519.SeedSize {
		return "", fmt.Errorf("the signing key must be 32 bytes in base64url")
	}
	lines := []string{
		"tranche-command-v1",
		"environment:" + s.EnvironmentID,
		"topic:" + command.Topic,
		"key:" + command.Key,
	}
	for _, name := range slices.Sorted(maps.Keys(command.Headers)) {
		if name == "content-type" || strings.HasPrefix(name, "ce_") {
			lines = append(lines, name+":"+command.Headers[name])
		}
	}
	digest := sha256.Sum256(command.Value)
	lines = append(lines, "sha256:"+base64url(digest[:]))
	header, err := json.Marshal(struct {
		Algorithm string `json:"alg"`
		KID       string `json:"kid"`
	}{"EdDSA", s.KID})
	if err != nil {
		return "", err
	}
	payload := base64url([]byte(strings.Join(lines, "\n")))
	signature := ed25519.Sign(ed25519.NewKeyFromSeed(seed), []byte(base64url(header)+"."+payload))
	return base64url(header) + ".." + base64url(signature), nil
}

func base64url(bytes []byte) string { return base64.RawURLEncoding.EncodeToString(bytes) }

func Connect(brokers, group string, topics ...string) (*kgo.Client, error) {
	return kgo.NewClient(
		kgo.SeedBrokers(strings.Split(brokers, ",")...),
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)), // nil: murmur2, as Kafka's Java client
		kgo.ConsumerGroup(group),
		kgo.ConsumeTopics(topics...),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(), // committed after the work, so that a crash loses no event
	)
}

// Publish returns when Kafka has stored the command. After an error, publish the same command again.
func Publish(ctx context.Context, client *kgo.Client, signer Signer, command Command) error {
	signature, err := signer.Sign(command)
	if err != nil {
		return err
	}
	record := &kgo.Record{Topic: command.Topic, Key: []byte(command.Key), Value: command.Value}
	for name, text := range command.Headers {
		record.Headers = append(record.Headers, kgo.RecordHeader{Key: name, Value: []byte(text)})
	}
	record.Headers = append(record.Headers, kgo.RecordHeader{Key: "tranche-signature", Value: []byte(signature)})
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := client.ProduceSync(ctx, record).FirstErr(); err != nil {
		return fmt.Errorf("%s: no acknowledgement within 30 s: %w", command.Topic, err)
	}
	return nil
}

func HeadersOf(record *kgo.Record) map[string]string {
	headers := map[string]string{}
	for _, header := range record.Headers {
		headers[header.Key] = string(header.Value)
	}
	return headers
}
